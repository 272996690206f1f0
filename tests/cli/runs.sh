# runs.sh - Tests commands on directories of checkpoints: log, prune, pin, and
# FILE@WHICH. Sourced by run.sh.
#
# SPDX-License-Identifier: MIT
TZ=UTC
"$make_sample" managed managed
touch -d '2026-01-02 03:04:05Z' managed/ckpt-*.varve
prints log 0 log managed
prints log_again 0 log --keep-last=1 --keep-every-steps=300 managed/ckpt
prints log_limit 0 log --limit=2 --tsv managed/
prints log_markdown 0 log --markdown --units=bytes managed
prints log_json 0 log --json managed
prints log_jsonl 0 log --jsonl --metric=loss managed
ends 0 log --json managed
valid json
ends 0 log --jsonl managed
valid lines varve.log/1
ends 0 ls --jsonl managed
valid lines varve.ls/1

# Selecting a checkpoint.
while read -r which file; do
    ends 0 ls "$which"
    has "managed/$file.varve" out
done <<END
managed ckpt-6
managed/ ckpt-6
managed@latest ckpt-6
managed@latest-valid ckpt-6
managed@best ckpt-2
managed@4 ckpt-4
managed@500 ckpt-5
managed/ckpt@best ckpt-2
managed@best:weights ckpt-2
END
complains 1 'varve: no such checkpoint: managed: 7' ls managed@7
has 'hint: to list the checkpoints, use varve log managed' err
ends 1 verify managed@1 managed@6
has 'varve: no such checkpoint: managed: 1' err
has 'managed/ckpt-6.varve: ok' out
complains 3 'varve: cannot open: managed@none: ' ls managed@none
complains 1 'varve: no such checkpoint: missing: latest' ls missing@latest
mkdir unmeasured
cp sample.varve unmeasured/one-1.varve
complains 1 'varve: no checkpoint has a metric: unmeasured' ls unmeasured@best
complains 1 'varve: no checkpoint has a metric: unmeasured' pin unmeasured@best
head -c 200 sample.varve >unmeasured/one-1.varve
complains 1 'varve: no checkpoint is intact: unmeasured' \
    ls unmeasured@latest-valid
rm -r unmeasured
complains 3 'varve: cannot read: missing/none: ' ls missing/none/@latest
complains 3 'varve: cannot read: missing: ' log missing/
complains 1 'varve: no checkpoints: managed/other: ' log managed/other
ends 0 verify managed@best managed
has 'managed/ckpt-2.varve: ok' out
has 'managed/ckpt-6.varve: ok' out
ends 0 cat -o bytes managed@best weights
ends 0 convert managed@best best.npz
ends 0 repack -o best.varve managed@best
cmp best.varve managed/ckpt-2.varve || fail 'repack of the best'

# An existing file with such a name takes precedence.
cp sample.varve a@latest
ends 0 ls a@latest:model
has layers out

# Several names, other formats, damage.
mkdir several
cp managed/ckpt-6.varve several/one-6.varve
cp managed/ckpt-6.varve several/two-10.varve
cp managed/ckpt-6.varve several/two-9.varve
cp keras3_adam.index several/keras-3.index
cp keras3_adam.data-00000-of-00001 several/keras-3.data-00000-of-00001
cp best.npz several/arrays-1.npz
head -c 200 managed/ckpt-6.varve >several/two-11.varve
touch -d '2026-01-02 03:04:05Z' several/*
prints log_several 0 log several
ends 0 log --json several
valid json
complains 2 'varve: which checkpoint: several: the directory has checkpoints' \
    ls several@latest
has 'hint: choose one, such as several/arrays@latest' err
ends 0 ls several/keras@latest
has 'several/keras-3.index' out
ends 0 ls several/two@latest-valid
has 'several/two-10.varve' out
complains 4 'varve: cannot open: several/two-11.varve: ' ls several/two@latest
complains 1 'varve: cannot pin: several/keras-3.index: ' pin several/keras@3

complains 2 'varve: pin: DIRECTORY@WHICH is required, such as run@12 or' \
    pin managed 4

# Kept checkpoints.
ends 0 pin managed@4
has pinned <("$varve" log managed)
ends 0 unpin managed@4
if "$varve" log managed | grep -q pinned; then fail 'it is still pinned'; fi
ends 0 pin managed@4
ends 0 prune -n managed
[ ! -s out ] || fail 'there are no data files'
cp -r managed pruned
prints prune_dry 0 prune -n --keep-last=1 pruned
cmp <(ls managed) <(ls pruned) || fail 'a dry run deletes'
prints prune 0 prune --keep-last=1 pruned
[ "$(cd pruned && echo *.varve)" = 'ckpt-4.varve ckpt-6.varve' ] ||
    fail "pruned: $(ls pruned)"
prints prune_noted 0 prune --as-noted managed
cp -r managed pruned-2
ends 3 prune --keep-best=1 --metric=los pruned-2
has 'no checkpoint has the metric "los"' err
ends 2 prune --keep-last=1 --metric=los pruned-2
ends 1 prune --keep-last=1 pruned-3
ends 1 prune --keep-last=1 managed/ckptt
cmp <(ls managed) <(ls pruned-2) || fail 'a wrong metric deletes'
cmp managed/ckpt.ledger pruned-2/ckpt.ledger || fail 'a wrong metric is noted'
ends 0 prune -q --keep-best=1 managed
[ ! -s out ] || fail 'prune -q is not quiet'
[ "$(cd managed && echo *.varve)" = \
    'ckpt-2.varve ckpt-4.varve ckpt-6.varve' ] || fail "managed: $(ls managed)"
