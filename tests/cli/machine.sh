# machine.sh - Tests output for other programs: JSON, errors in JSON,
# interruption. Sourced by run.sh.
#
# SPDX-License-Identifier: MIT
prints graph_json 0 graph --json sample.varve
for arguments in 'ls --json sample.varve' 'ls --json --limit=2 many.varve' \
    'ls --json --depth=0 sample.varve' 'graph --json sample.varve:model' \
    'cat --json sample.varve types/string' 'verify --json sample.varve'; do
    ends 0 $arguments
    valid json
done
for arguments in 'verify --json damaged.varve short.varve'; do
    ends 1 $arguments
    valid json
done

# error EXIT CODE ARGUMENTS...: checks the last line of standard error as JSON.
error() {
    ends "$1" "${@:3}"
    tail -n 1 err >out
    "${helper[@]}" error "$1" "$2" <out || fail "varve ${*:3}: $(cat out)"
}
error 3 VARVE_NOT_FOUND ls --json missing.varve
error 4 VARVE_EMPTY_FILE ls --json empty.varve
error 4 VARVE_NOT_A_CHECKPOINT graph --json foreign.varve
error 4 VARVE_TRUNCATED cat --json short.varve model
error 5 VARVE_TOO_NEW ls --json newer.varve
error 4 VARVE_CORRUPT cat --json damaged.varve model/layers/0/kernel
error 1 VARVE_NOT_FOUND ls --json sample.varve:nonsense
error 2 USAGE ls --json --nonsense sample.varve

error 2 USAGE lss --json

for arguments in 'ls --json missing.varve' 'lss --json'; do
    ends "$([ "${arguments%% *}" = ls ] && echo 3 || echo 2)" $arguments
    [ "$(wc -l <err)" = 1 ] || fail "varve $arguments: output besides JSON"
done

# Control characters are never printed unescaped.
"${helper[@]}" steering steers
bidi=$'name\u202e\u009b.npy'
cp steers.npy "$bidi"
for arguments in 'ls' 'ls -l' 'ls --tsv' 'ls --json' 'graph --dot' \
    'graph --svg' 'graph --json' 'graph --html' 'verify' 'verify --json'; do
    for file in steers.safetensors steers.npy "$bidi"; do
        ends 0 $arguments "$file"
        valid harmless
    done
done
ends 0 ls -l steers.safetensors
has 'kernel%C2%9B31m%E2%80%AE' out
ends 0 cat --json steers.npy arr_0
valid harmless
valid json
ends 0 convert --verbose steers.safetensors steers.npz
valid harmless
ends 1 ls steers.safetensors:nothing
cp err out
valid harmless
ends 3 ls "none$bidi"
cp err out
valid harmless

"${helper[@]}" interrupt "$varve" many.varve || fail 'interruption'
