# layers.sh - Tests incremental checkpoints that are copied without their data
# files, found by a prefix, or lack a data file. Sourced by run.sh.
#
# SPDX-License-Identifier: MIT
golden=$here/../golden
first=layers/f9a1d73a1d0e848efe241402e95a6e0e.data
second=layers/c5df603961930dae6eac3c62dac101f1.data
mkdir shared
cd shared
cp "$golden/version-1-layers.varve" run-1.varve
cp run-1.varve run-2.varve
cp -r "$golden/layers" .

ends 0 verify run-1.varve
ends 0 repack run -o whole.varve
has 'wrote whole.varve' out
mkdir alone
cp whole.varve run-1.varve alone
prints verify_layers_gone 1 verify alone/run-1.varve
ends 0 verify alone/whole.varve
complains 3 'varve: cannot write: whole.varve: the file already exists' \
    repack run-1.varve -o whole.varve
has 'hint: use --force to replace it' err
ends 0 repack -q -f run-1.varve -o whole.varve
[ ! -s out ] || fail 'repack -q printed something'
complains 3 'varve: cannot repack: missing: ' repack missing
complains 4 'varve: cannot repack: alone/run-1.varve: ' \
    repack alone/run-1.varve

# A prefix refers to its newest checkpoint, whose path is printed.
ends 0 repack run
has 'wrote run-2.varve' out
cmp -s run-2.varve whole.varve ||
    fail 'repacking in place wrote a different file'

ends 0 prune .
[ -e "$first" ] && [ -e "$second" ] || fail 'a data file in use was deleted'
rm run-1.varve
ends 0 prune .
[ -z "$(ls layers)" ] || fail 'unreferenced data files were left'
ends 0 prune alone
complains 3 'varve: cannot prune: nowhere: ' prune nowhere
complains 3 'varve: cannot prune: whole.varve: ' prune whole.varve
ends 0 verify whole.varve run-2.varve

# If a data file is lost, only its values are lost.
cp "$golden/version-1-layers.varve" run-3.varve
cp "$golden/layers/${first#*/}" layers
prints repair_layer 1 repair run-3.varve -o left.varve
ends 0 verify left.varve
rm "$first"

# Something other than a file in place of a data file is damage.
cp "$golden/layers/${second#*/}" layers
for make in mkfifo mkdir; do
    "$make" "$first"
    ends 1 verify run-3.varve
    has 'DAMAGED  (structure)' out
    has 'wrong file: this is not the data file' out
    rm -r "$first"
done
rm "$second"
ends 1 repair run-3.varve -f -o left.varve
has 'wrote left.varve  0 values' out
cd ..
