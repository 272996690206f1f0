#!/usr/bin/env bash
# run.sh - Tests that a test with testing.h passes with a matching checkpoint
# and golden file, and fails for each different name and value, in each
# framework.
#
#     run.sh PROGRAMS FRAMEWORK ...
#
# SPDX-License-Identifier: MIT
set -u
programs=$(realpath "$1")
shift
scratch=$(mktemp -d) || exit
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit
failures=0

# run EXPECTED PROGRAM [TEXT]: runs a program that must pass (0) or fail (1) and
# print the text. A failed assertion leaves the test before it frees its memory,
# so leaks are not reported for a run that must fail.
run() {
    local status=0 options=${ASAN_OPTIONS-}
    [ "$1" = 0 ] || options=${options:+$options:}detect_leaks=0
    ASAN_OPTIONS=$options "$programs/$2" >out 2>&1 || status=1
    [ "$status" = "$1" ] && { [ $# = 2 ] || grep -qF -- "$3" out; } && return
    echo "FAILED: $2: exit status $status, must be $1 with the text '${3-}':"
    cat out
    failures=$((failures + 1))
}

"$programs/make_last_year" last_year.varve || exit
for name; do
    # The golden file is missing, is written, and is compared.
    rm -f golden.varve
    run 1 "${name}_dense" 'golden.varve: open failed'
    VARVE_UPDATE_GOLDEN=0 run 1 "${name}_dense" 'golden.varve: open failed'
    VARVE_UPDATE_GOLDEN=1 run 0 "${name}_dense"
    cmp golden.varve last_year.varve || failures=$((failures + 1))
    run 0 "${name}_dense"
    run 1 "${name}_dense_1" 'dense/kernel'
    run 1 "${name}_dense_1" 'nearest: "dense_1/kernel"'
    # A damaged golden file.
    python3 - golden.varve <<'END'
import struct
import sys
with open(sys.argv[1], 'rb') as file:
    old = file.read()
new = old.replace(struct.pack('<f', 2), struct.pack('<f', 3))
assert new != old
with open(sys.argv[1], 'wb') as file:
    file.write(new)
END
    run 1 "${name}_dense" 'golden.varve'
done
[ "$failures" = 0 ]
