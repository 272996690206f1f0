# prune.sh - Tests which files varve prune keeps and what it reports: leases,
# failed deletions, data files in locked or shared folders. Sourced by run.sh.
#
# SPDX-License-Identifier: MIT

# lock HOW FILE: locks a file with LOCK_SH or LOCK_EX until `unlock` is called.
lock() {
    exec 9<"$2"
    python3 -c "import fcntl; fcntl.flock(9, fcntl.$1)"
}
unlock() {
    exec 9<&-
}

mkdir pruning
cd pruning
"$make_sample" kept managed
cp -r kept leased
lock LOCK_SH leased/ckpt-2.varve
prints prune_leased_dry 1 prune -n --keep-last=1 leased
[ "$(ls leased)" = "$(ls kept)" ] || fail 'a dry run deleted files'
prints prune_leased 1 prune --keep-last=1 leased
[ "$(cd leased && echo *.varve)" = 'ckpt-2.varve ckpt-6.varve' ] ||
    fail "leased: $(ls leased)"
ends 1 prune -q --keep-last=1 leased
[ ! -s out ] && [ ! -s err ] || fail 'prune -q is not quiet'
unlock
ends 0 prune --keep-last=1 leased
has 'deleted leased/ckpt-2.varve' out
has 'ckpt: kept 1, freed ' out

# A file that is not a checkpoint of Varve is never reported as deleted.
cp -r kept foreign_names
mkfifo foreign_names/ckpt-1.safetensors
printf 'nothing' >foreign_names/ckpt-3.npz
prints prune_foreign 0 prune --keep-last=1 foreign_names
[ -p foreign_names/ckpt-1.safetensors ] && [ -e foreign_names/ckpt-3.npz ] ||
    fail 'prune deleted files of other programs'

# A deletion fails because the new name is taken by a directory.
cp -r kept failing
mkdir -p failing/.ckpt-2.varve.gone/taken
ends 3 prune --keep-last=1 failing
has 'kept failing/ckpt-2.varve: it was not deleted' out
has 'deleted failing/ckpt-4.varve' out
has 'ckpt: kept 2, freed ' out
has 'varve: not everything was pruned: failing: ' err
[ -e failing/ckpt-2.varve ] || fail 'it is gone'

# Another manager is active: commands other than prune continue.
cp -r kept busy
lock LOCK_EX busy/.ckpt.lock
complains 3 'varve: cannot ' prune -n --keep-last=1 busy
complains 3 'varve: cannot ' prune --keep-last=1 busy
ends 0 log busy
ends 0 ls busy@latest
ends 0 pin busy@4
ends 0 unpin busy@4
unlock
[ "$(ls busy)" = "$(ls kept)" ] ||
    fail 'prune deleted files while a manager was active'

# A locked prefix does not prevent pruning other prefixes.
for i in 2 4 6; do
    cp kept/ckpt-$i.varve busy/other-$i.varve
done
touch busy/.other.lock
lock LOCK_EX busy/.other.lock
ends 3 prune --keep-last=1 busy
has 'varve: cannot read: busy: ' err
has 'other' err
[ "$(cd busy && echo *.varve)" = \
    'ckpt-6.varve other-2.varve other-4.varve other-6.varve' ] ||
    fail "with a locked prefix: $(ls busy)"
has 'ckpt: kept 1, freed ' out
unlock

# Without checkpoints nothing can be pruned.
mkdir empty
complains 1 'varve: no checkpoints: empty: there are no files such as ' \
    prune --keep-last=1 empty
complains 1 'varve: no checkpoints: kept/ckpt-4.varve: this is a file; ' \
    prune --keep-last=1 kept/ckpt-4.varve
complains 1 'varve: no checkpoints: kept/ckpd: there is no such directory' \
    prune --keep-last=1 kept/ckpd
rmdir empty

# Numbers padded with zeros are recognized.
mkdir padded
for i in 4 6; do
    cp kept/ckpt-$i.varve padded/ckpt-0000000$i.varve
done
ends 0 log padded
has 'ckpt-00000006.varve' out
ends 0 ls padded
ends 0 ls padded@latest

# Data files: counted, locked, linked, shared.
mkdir owner guest
cp "$golden/version-1-layers.varve" owner/run-1.varve
mkdir owner/layers
cp "$golden/$first" "$golden/$second" owner/layers
head -c 100 /dev/zero >owner/layers/00112233445566778899aabbccddeeff.data
ends 0 prune -n owner
has 'owner: would delete 1 data file, would free 100 B' out
[ -e owner/layers/00112233445566778899aabbccddeeff.data ] ||
    fail 'a dry run deleted a data file'
lock LOCK_SH owner/layers
complains 1 'varve: no data files were deleted: owner: a save is in progress' \
    prune owner
complains 1 'varve: no data files were deleted: owner: ' prune -n owner
has 'hint: prune again when it has finished' err
ends 1 prune --keep-last=1 owner
has 'run: kept 1, freed 0 B' out
has 'varve: no data files were deleted: owner: a save is in progress there' err
unlock
ends 0 prune owner
has 'owner: deleted 1 data file, freed 100 B' out
ln -s ../owner/layers guest/layers
ls owner/layers >before
complains 3 'varve: cannot prune: guest: guest/layers: ' prune guest
has 'it is a symbolic link' err
complains 3 'varve: cannot prune: guest: guest/layers: ' prune -n guest
cp "$golden/version-1-layers.varve" guest/run-1.varve
ends 3 prune --keep-last=1 guest
has 'guest/layers: it is a symbolic link' err
touch owner/layers/shared
complains 3 'varve: cannot prune: owner: owner/layers: ' prune owner
has 'remove that file' err
rm owner/layers/shared
ls owner/layers | cmp -s - before ||
    fail 'data files of another directory were deleted'
ends 0 verify owner/run-1.varve guest/run-1.varve
rm guest/layers owner/run-1.varve
ends 0 prune owner
has 'owner: deleted 2 data files, freed ' out
cd ..
