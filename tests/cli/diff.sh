# diff.sh - Tests comparing two checkpoints. Sourced by run.sh.
#
# SPDX-License-Identifier: MIT
"$make_sample" changed.varve changed
prints diff 1 diff sample.varve changed.varve
prints diff_json 1 diff --json sample.varve changed.varve
prints diff_jsonl 1 diff --jsonl sample.varve changed.varve
prints diff_tsv 1 diff --tsv sample.varve changed.varve
prints diff_markdown 1 diff --markdown sample.varve changed.varve
prints diff_values 1 diff --values changed.varve sample.varve
prints diff_part 1 diff -I 'model/**' -X '**/bias' sample.varve changed.varve
prints diff_below 1 diff sample.varve:model/layers/0 \
    changed.varve:model/layers/1
prints diff_equal 0 diff --equal sample.varve:types sample.varve:types
prints diff_metadata 0 diff sample.varve saved-1.varve
ends 1 diff --strict sample.varve saved-1.varve
ends 0 diff --json sample.varve sample.varve
valid json
ends 1 diff -q sample.varve changed.varve
[ ! -s out ] || fail 'diff -q printed something'
ends 0 diff -q sample.varve sample.varve
ends 1 diff --page page.html sample.varve changed.varve
"$varve" diff sample.varve changed.varve >plain.txt || true
cmp -s out plain.txt || fail 'diff --page printed different text'
cp page.html out
valid page
has '"marks":[["changed",' out
has '1 of 1 element differs, by ' out
ends 0 diff --page page.html sample.varve:types sample.varve:types
complains 2 'varve: diff: --page and --quiet exclude each other' \
    diff -q --page page.html sample.varve changed.varve
ends 3 diff --page no/such/file sample.varve changed.varve
has 'varve: cannot write: no/such/file' err
rm -f page.html plain.txt

# Each format compared with each other: common values are equal.
for file in sample.npz sample.safetensors sample.index names; do
    ends 0 diff --values -X 'odd names' -X 'random' -X 'types' \
        sample.varve "$file"
    ends 0 diff --values -X 'odd names' -X 'random' -X 'types' \
        "$file" sample.varve
    ends 1 diff --values -X 'odd names' -X 'random' -X 'types' \
        "$file" changed.varve
    has 'changed  ' out
    has ' model/layers/0/kernel ' out
done
ends 0 diff sample.index sample.safetensors -X types -X 'odd names' -X random

# Incremental, sharded and compressed checkpoints. With --nan-differs floats are
# read.
pieces=$here/../golden/version-1-pieces.varve
paged=$here/../golden/version-1-paged.varve
for file in "$here/../golden/version-1-layers.varve" "$pieces" \
    packed/packed.varve "$paged"; do
    [ "${file%/*}" != packed ] && [ "$file" != "$paged" ] ||
        [ -e packed/plain.varve ] || continue
    ends 0 repack -q "$file" -o plain.varve
    ends 0 diff "$file" plain.varve
    ends 0 diff -X '**/special' --nan-differs "$file" plain.varve
    rm -f plain.varve
done

# A partial value is reported as such, and a different part is a different value
# whatever its content.
cp "$here/../golden/nodes/xor/rank-1/ckpt-1.varve" part.varve
"$python" -B "$here/move_part.py" part.varve moved.varve
prints ls_part 0 ls part.varve
ends 0 ls --json part.varve
has '"part":{"shape":[11,3],"start":[2,0]}' out
valid json
ends 0 show part.varve:grid
has 'part of [11,3] from [2,0] on' out
ends 0 verify moved.varve
ends 1 diff part.varve moved.varve
has 'another part' out
ends 0 repack -q part.varve -o repacked_part.varve
cmp -s part.varve repacked_part.varve ||
    fail 'repacking a part wrote a different file'
complains 3 "varve: cannot write: never.npz: grid: a shard of int32[11" \
    convert part.varve never.npz
rm part.varve moved.varve repacked_part.varve

# Sharded values have no digest of the whole value, so their bytes are compared.
"$make_pieces" one.pieces.varve
"$make_pieces" other.pieces.varve 1
ends 0 diff one.pieces.varve "$pieces"
ends 1 diff one.pieces.varve other.pieces.varve
has 'changed  grid ' out

# Renamed objects. Slots are matched with their owner and variable.
ends 0 convert --rename 'net/** -> model/layers/**' \
    --rename 'adam -> optimizer' sample.varve renamed.varve
ends 1 diff --values sample.varve renamed.varve
has 'only in A' out
ends 0 diff --values --rename 'net/** -> model/layers/**' \
    --rename 'adam -> optimizer' sample.varve renamed.varve
has ' equal' out
printf '# as they are now\nnet/** -> model/layers/**\nadam -> optimizer\n' \
    >renamed.map
ends 0 diff --values --rename-file renamed.map sample.varve renamed.varve
ends 1 diff --values --rename-file renamed.map changed.varve renamed.varve
has ' net/0/kernel ' out
complains 2 'varve: the rename is reversed: ' \
    diff --rename 'model/layers/** -> net/**' sample.varve renamed.varve
complains 1 'varve: --rename: no path matches: nothing' \
    diff --rename 'other -> nothing' sample.varve renamed.varve
complains 2 "varve: diff: --rename: expected 'NEW -> OLD'" \
    diff --rename 'other' sample.varve renamed.varve

# Tolerances.
ends 1 diff --tolerance 999 sample.varve:optimizer/step \
    changed.varve:optimizer/step
ends 0 diff --tolerance 1000 sample.varve:optimizer/step \
    changed.varve:optimizer/step
ends 0 diff --relative 0.08 sample.varve:optimizer/step \
    changed.varve:optimizer/step
ends 0 convert --cast 'types/int*=float64' --cast 'model=float64' \
    sample.varve cast64.varve
ends 1 diff sample.varve cast64.varve
has 'element type: float64[64,20] in B' out
prints diff_exact 1 diff --cast sample.varve cast64.varve
ends 0 diff --cast -X types/int64 sample.varve cast64.varve
complains 2 'varve: diff: --tolerance: must be a number' \
    diff --tolerance much sample.varve changed.varve
complains 2 'varve: diff: --relative: must be a number' \
    diff --relative -1 sample.varve changed.varve
ends 1 diff --nan-differs sample.varve:types/special sample.varve:types/special
has 'changed' out
ends 0 diff sample.varve:types/special sample.varve:types/special

# Unreadable values are reported as not compared; values with equal digests are
# not read.
ends 0 diff sample.varve damaged.varve
ends 4 diff damaged.varve changed.varve
has 'damaged       model/layers/0/kernel' out
has 'varve: cannot read: damaged.varve: ' err
ends 4 diff -q damaged.varve:model/layers/0 changed.varve:model/layers/0 \
    -I kernel --tolerance 1
for file in missing.varve:3 empty.varve:4 foreign.varve:4 newer.varve:5 \
    short.varve:4; do
    complains "${file#*:}" "varve: cannot open: ${file%:*}: " \
        diff sample.varve "${file%:*}"
    complains "${file#*:}" "varve: cannot open: ${file%:*}: " \
        diff "${file%:*}" sample.varve
done
complains 1 'varve: no such path: ' diff sample.varve:models changed.varve

# Hostile names, many values, too little memory, a closed pipe, Ctrl-C.
ends 0 diff --equal steers.safetensors steers.safetensors
valid harmless
ends 1 diff steers.safetensors steers.npy
valid harmless
ends 1 diff --json steers.safetensors steers.npy
valid harmless
valid json
"$make_sample" few.varve 2990
ends 1 diff many.varve few.varve
[ "$(tail -n 1 out)" = '10 only in A, 2990 equal (2990 not read)' ] ||
    fail "many: $(tail -n 1 out)"
"$make_sample" crowd.varve 200000
"$make_sample" crew.varve 199999
ends 1 diff crowd.varve crew.varve
[ "$(tail -n 1 out)" = '1 only in A, 199999 equal (199999 not read)' ] ||
    fail "very many values: $(tail -n 1 out)"
(set +o pipefail; "$varve" diff --equal --tsv crowd.varve crew.varve 2>err |
    head -n 1 >out)
[ ! -s err ] || fail "diff into a closed pipe: $(cat err)"
"${helper[@]}" interrupt "$varve" crowd.varve diff --equal --json crew.varve ||
    fail 'interruption of diff'

# The same comparison in Python.
python3 "$here/check_diff.py" "$varve" random 1 40 || fail 'random pairs'
python3 "$here/check_diff.py" "$varve" large || fail 'a large value'
