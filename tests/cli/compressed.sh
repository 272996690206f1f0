# compressed.sh - Tests compressed checkpoints, and the messages of a command
# built without Zstandard. Sourced by run.sh.
#
# SPDX-License-Identifier: MIT
mkdir packed
cd packed
cp "$here/../golden/version-1-packed.varve" packed.varve
prints ls_packed 0 ls packed.varve
complains 2 'varve: convert: --compress: the level must be 1 to 19' \
    convert --compress=20 packed.varve never.varve
"$varve" verify packed.varve >out 2>err </dev/null || true
if grep -qF 'build Varve with libzstd' err; then
    needs_zstd() {
        complains 5 "varve: cannot $1: packed.varve: offset " "${@:2}"
        has 'build Varve with libzstd' err
        [ ! -e never.varve ] || fail "varve $2: wrote something"
    }
    needs_zstd verify verify packed.varve
    needs_zstd read cat -o never.varve packed.varve weights
    needs_zstd repack repack packed.varve -o never.varve
    needs_zstd read repair packed.varve -o never.varve
    needs_zstd read convert packed.varve never.varve
    ends 0 cat packed.varve step
else
    prints verify_packed 0 verify packed.varve
    ends 0 cat --slice=1024:1026 packed.varve weights
    ends 0 repack packed.varve -o plain.varve
    ends 0 verify plain.varve
    ends 0 repair packed.varve -o repaired.varve
    cmp -s plain.varve repaired.varve || fail 'repair wrote a different file'
    ends 0 convert packed.varve converted.varve
    cmp -s plain.varve converted.varve || fail 'convert wrote a different file'
    ends 0 cat -o one packed.varve weights
    ends 0 cat -o other plain.varve weights
    cmp -s one other || fail 'the weights differ without compression'
    ends 0 repack --progress=always -o bar.varve packed.varve
    has '100%' err
    cmp -s plain.varve bar.varve || fail 'the file differs with a progress bar'
    ends 0 convert --compress=3 --progress=always plain.varve bar.varve --force
    has '100%' err
    ends 0 repack -o quiet.varve packed.varve
    [ ! -s err ] || fail 'repack: progress without a terminal'
    ends 0 convert --compress=3 plain.varve again.varve
    [ "$(stat -c %s again.varve)" -lt "$(stat -c %s plain.varve)" ] ||
        fail 'the compressed file is not smaller'
    ends 0 verify again.varve
    ends 0 repack again.varve
    cmp -s plain.varve again.varve || fail 'the decompressed file differs'
    complains 2 'varve: convert: --compress is only for .varve files' \
        convert --compress=3 plain.varve never.npz
    ends 0 repack packed.varve
    cmp -s plain.varve packed.varve ||
        fail 'compressing in place wrote a different file'
fi
cd ..
