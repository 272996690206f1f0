# show.sh - what values are like: stat. Read by run.sh.
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

# No value is read without --values: damage is not seen.
ends 0 stat damaged.varve
prints stat_damaged 1 stat --values damaged.varve:model
ends 1 stat --values --json damaged.varve:model
valid json
has '"damaged":1,' out
ends 0 stat --values --strict sample.varve:model
ends 1 stat --values --strict sample.varve:types/special
has '1 NaN, first at [0]' out
ends 0 stat --values sample.varve:types/special

# On many threads the same is said in the same order.
ends 0 stat --values -j1 ../many.varve
cp out one
ends 0 stat --values -j7 ../many.varve
cmp -s one out || fail 'stat on seven threads says something else'

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
complains 2 'varve: stat: --strict: expected --values' stat --strict \
    sample.varve
complains 4 'varve: cannot open: ../short.varve: ' stat ../short.varve

# All statistics again, by exact fractions.
for seed in 1 2; do
    count=$((count + 1))
    python3 "$here/check_statistics.py" statistics "$varve" "$seed" >out 2>&1 ||
        fail "statistics: $(tail -n 3 out)"
done
cd ..
