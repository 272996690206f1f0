# show.sh - Tests show and stat: values, other nodes, and statistics. Sourced by
# run.sh.
#
# SPDX-License-Identifier: MIT
golden=$here/../golden/foreign
mkdir shown
cd shown
cp ../sample.varve ../damaged.varve .

prints stat 0 stat sample.varve
prints stat_depth 0 stat --depth=2 --sort=bytes --limit=3 sample.varve
prints stat_path 0 stat --units=bytes sample.varve:model
prints stat_json 0 stat --json sample.varve
prints stat_markdown 0 stat --markdown -X types sample.varve
prints stat_tsv 0 stat --tsv sample.varve
prints stat_values 0 stat --values sample.varve
prints stat_values_ascii 0 stat -v --ascii --bins=20 -I 'types/float*' \
    sample.varve
prints stat_values_json 0 stat --values --json sample.varve:types
prints stat_values_tsv 0 stat --values --tsv --sort=bytes --limit=4 sample.varve
prints stat_values_markdown 0 stat --values --markdown sample.varve:model
for arguments in '' --values; do
    ends 0 stat $arguments --jsonl sample.varve:model
    while read -r line; do
        printf '%s\n' "$line" | python3 -m json.tool >/dev/null ||
            fail "stat --jsonl $arguments: $line"
    done <out
done

# No value is read without --values, so damage is not detected.
ends 0 stat damaged.varve
prints stat_damaged 1 stat --values damaged.varve:model
ends 1 stat --values --json damaged.varve:model
valid json
has '"damaged":1,' out
ends 0 stat --values --strict sample.varve:model
ends 1 stat --values --strict sample.varve:types/special
has '1 NaN, first at [0]' out
ends 0 stat --values sample.varve:types/special

# With many threads the output has the same order.
ends 0 stat --values -j1 ../many.varve
cp out one
ends 0 stat --values -j7 ../many.varve
cmp -s one out || fail 'stat with seven threads gives different output'

for name in keras_adam.index st_all_types.safetensors npz_all_types.npz \
    npz_deflated.npz small.gguf npy_fortran_big.npy strings.index; do
    cp "$golden/${name%.index}"* .
    prints "stat_${name%.*}" 0 stat --values "$name"
    ends 0 stat --values --json "$name"
    valid json
    ends 0 stat "$name"
done

complains 1 'varve: no such path: sample.varve: ' stat sample.varve:nothing
complains 2 'varve: stat: --bins: expected at most 64' stat --bins=65 \
    sample.varve
complains 2 'varve: stat: --strict needs --values' stat --strict \
    sample.varve
complains 4 'varve: cannot open: ../short.varve: ' stat ../short.varve

# Single nodes.
prints show 0 show sample.varve:model/layers/0/kernel
prints show_full 0 show --full --precision=2 --width=60 sample.varve \
    model/layers/1/kernel
prints show_part 0 show --slice='::-9,...' sample.varve model/layers/0/kernel
prints show_index 0 show --slice=-1 sample.varve model/layers/0/bias
prints show_statistics 0 show --statistics --histogram sample.varve \
    types/float16
prints show_ascii 0 show --ascii -s --histogram --bins=4 --slice=3:9 \
    sample.varve types/float8_e4m3fn
prints show_json 0 show --json -s --slice=2:5 sample.varve types/special
prints show_json_object 0 show --json sample.varve:optimizer
prints show_json_strings 0 show --json sample.varve types/string
prints show_root 0 show sample.varve
prints show_object 0 show sample.varve:optimizer
prints show_list 0 show --ascii sample.varve:model/layers
prints show_shared 0 show sample.varve:model/layers/1/bias
prints show_slot 0 show sample.varve 'optimizer/m(model/layers/0/bias)'
prints show_state 0 show sample.varve random
prints show_state_part 0 show --slice=40: --statistics sample.varve random
prints show_unsaved 0 show sample.varve model/scratch
prints show_odd 0 show sample.varve 'odd names/tab%09here'
for type in bool int8 uint64 bfloat16 complex128 float8_e5m2 string special \
    name empty largest; do
    prints "show_$type" 0 show sample.varve "types/$type"
done
for arguments in '' :optimizer :random :model/scratch :types/string \
    ':types/empty --statistics' ':types/complex64 --histogram' \
    ':model/layers/0/kernel'; do
    ends 0 show --json sample.varve$arguments
    valid json
done

# Other formats, the maximum number of dimensions, a state that is text, and
# names with control characters.
prints show_tensorflow 0 show keras_adam.index \
    'optimizer/m(model/layer-1/kernel)'
prints show_tensorflow_strings 0 show strings.index vector
prints show_safetensors 0 show st_all_types.safetensors bfloat16
prints show_npz 0 show npz_all_types.npz complex64
prints show_gguf 0 show small.gguf cube
cp "$golden/python_state".* .
prints show_python_state 0 show python_state.index
prints show_state_text 0 show python_state.index:state
python3 - "$here" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from check_statistics import write_safetensors
write_safetensors('ranks.safetensors', [
    ('sixteen', 'int8', [2] * 5 + [1] * 10 + [2], bytes(range(64))),
    ('ones', 'float32', [1] * 16, bytes(4)),
    ('long', 'uint8', [200000], bytes(200000))])
END
prints show_ranks 0 show ranks.safetensors sixteen
prints show_ones 0 show ranks.safetensors ones
ends 0 show ../steers.safetensors
valid harmless
ends 0 show --json ../steers.safetensors
valid harmless

complains 4 'varve: cannot read: damaged.varve: ' \
    show damaged.varve model/layers/0/kernel
error 4 VARVE_CORRUPT show --json --slice=0 damaged.varve model/layers/0/kernel
ends 0 show damaged.varve model/layers/0/bias
ends 0 show damaged.varve model/layers/0
complains 1 'varve: no value: sample.varve: model' show --slice=0 \
    sample.varve model
complains 1 'varve: no such path: sample.varve: ' show sample.varve model/layer
complains 2 'varve: --slice: ' show --slice=::0 sample.varve optimizer/step
complains 2 'varve: show: --bins: expected at most 64' show --bins=99 \
    sample.varve

# A closed pipe causes no message.
count=$((count + 1))
{ "$varve" show --full ranks.safetensors long 2>err || echo $? >status; } |
    head -n 1 >out
[ "$(cat status)" = 141 ] && [ ! -s err ] || fail "a broken pipe: $(cat err)"
for seed in 1 2; do
    count=$((count + 1))
    python3 "$here/check_show.py" "$varve" "$seed" >out 2>&1 ||
        fail "show: $(tail -n 8 out)"
    # Debian's Python may have NumPy if another one does not.
    grep -q NumPy out || [ ! -x /usr/bin/python3 ] ||
        /usr/bin/python3 "$here/check_show.py" "$varve" "$seed" >out 2>&1 ||
        fail "show: $(tail -n 8 out)"
done

# All statistics compared with exact fractions.
for seed in 1 2; do
    count=$((count + 1))
    python3 "$here/check_statistics.py" statistics "$varve" "$seed" >out 2>&1 ||
        fail "statistics: $(tail -n 3 out)"
done
cd ..

# All values in order.
prints show_all 0 show --all sample.varve:model
ends 0 show --all --json -X types sample.varve
grep -c '^"path":' out >seen
"$varve" ls --tsv -X types sample.varve | cut -f 4 | grep -c '^[0-9]' >listed
cmp seen listed || fail 'show --all --json leaves values out'
ends 4 show --all damaged.varve
complains 2 'varve: show: --include and --exclude need --all' \
    show -I model sample.varve
complains 2 'varve: show: --slice and --all exclude each other' \
    show --all --slice 0 sample.varve
