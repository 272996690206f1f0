# memory.sh - Tests small files with large values: commands that use memory for
# one chunk, and messages if memory is limited. Sourced by run.sh.
#
# SPDX-License-Identifier: MIT
mkdir memory
cd memory

# 192 MiB of zeros in some 20 KB, from several writers.
"$make_sample" zeros.varve zeros
"$varve" verify zeros.varve >out 2>err </dev/null || true
if grep -qF 'build Varve with libzstd' err; then
    echo 'memory.sh: skipped without Zstandard'
elif grep -q __asan_init "$varve"; then
    echo 'memory.sh: skipped: sanitizers need more memory'
else
    most=--max-memory=64MiB
    for form in verify ls stat graph; do
        ends 0 $form $most zeros.varve
    done
    ends 0 cat $most zeros.varve large -o large.bytes
    [ "$(wc -c <large.bytes)" = $((96 << 20)) ] || fail 'cat: wrong size'
    "$varve" cat $most zeros.varve large | cmp - large.bytes ||
        fail 'cat: output to a pipe differs'
    # Elements of two chunks of 8 MiB.
    ends 0 cat $most --json --slice=0:4194304 zeros.varve large
    [ "$(tr -cd '[,' <out | wc -c)" = $((4194303 + 4 + 2)) ] ||
        fail 'cat: wrong number of elements'
    # Damage after the first chunk: nothing is printed. (A frame of Zstandard
    # contains bits without a meaning.)
    cp zeros.varve damaged.varve
    for at in 11000 11001 11002; do
        "${helper[@]}" flip damaged.varve "$at"
    done
    complains 4 'varve: cannot read: damaged.varve: ' \
        cat $most damaged.varve other
    "$make_sample" many.varve 100000
    ends 0 stat $most --depth=2 --tsv many.varve
    # Rows are not kept: 68 MiB are needed, and up to 80 if they are.
    "$make_sample" many.varve 300000
    ends 0 stat --max-memory=76MiB --depth=2 many.varve
    ends 0 repack $most zeros.varve -o repacked.varve
    ends 0 convert $most zeros.varve -o converted.varve
    cmp -s repacked.varve converted.varve ||
        fail 'convert wrote a different file'
    ends 0 convert $most zeros.varve packed.varve --compress=3
    cmp -s packed.varve zeros.varve ||
        fail 'compressing again wrote a different file'
    ends 0 convert $most zeros.varve small.safetensors
    ends 0 convert $most zeros.varve -o small.npz
    ends 0 repair $most zeros.varve -o repaired.varve
    cmp -s repacked.varve repaired.varve || fail 'repair wrote a different file'
    cp zeros.varve damaged.varve
    "${helper[@]}" flip damaged.varve 4096
    ends 1 repair $most damaged.varve -o less.varve
    has LOST out
    ends 1 convert $most --salvage damaged.varve -o less.npz
    ends 0 verify less.varve
    # A cast reads the whole value.
    complains 3 'varve: cannot read: zeros.varve: ' \
        convert $most --cast=float64 zeros.varve never.varve
    has '--max-memory gives no more' err
    [ ! -e never.varve ] || fail 'a file was written'
    rm -f ./*.varve small.* less.npz large.bytes
fi
complains 2 'varve: convert: one DESTINATION is required, after FILE or with' \
    convert a.varve
complains 2 'varve: convert: one DESTINATION is required, after FILE or with' \
    convert a.varve b.varve -o c.varve
cd ..
