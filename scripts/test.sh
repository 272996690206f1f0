#!/usr/bin/env bash
# test.sh - Builds the library and the tests, and runs the tests.
#
#     scripts/test.sh [--all] [arguments of meson test]
#
# The tests of the suite `slow` run with --all only: random programs, damage, a
# fault in each call, kills and power cuts, mutation tests, servers that fail,
# counted instructions, the site, other compilers and build systems. .ci/run
# runs them for each change, except for the mutation tests.
#
# The last line is "N passed, N failed, N skipped". The exit status is 0 only if
# nothing failed.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."

build=${VARVE_BUILD:-build/test}
chosen=(--no-suite slow)
if [ "${1:-}" = --all ]; then
    chosen=()
    shift
fi

scripts/setup.sh test
[ -f "$build/build.ninja" ] ||
    meson setup "$build" -Dtests=enabled -Dexamples=true -Dbench=true \
        -Dtool=enabled -Ddefault_library=both

# A file that a test leaves in the temporary folder is a failure. Other users
# may enter the folder, because a test of root changes its user.
place=$(mktemp -d)
chmod 755 "$place"
trap 'rm -rf "$place"' EXIT
export TMPDIR=$place

status=0
left=0
log=$build/meson-logs/testlog.json
rm -f "$log"
# meson builds what the selected tests need. Some tests mostly wait, so one more
# than there are processors runs at once.
meson test -C "$build" --print-errorlogs \
    --num-processes $(($(nproc) + 1)) "${chosen[@]}" "$@" || status=$?
[ -f "$log" ] || echo "test: no test was run, because of the error above" >&2
if [ "$(ls -A "$place")" ]; then
    echo "test: temporary files were not removed:" >&2
    ls -A "$place" | head >&2
    left=1
fi
python3 -B scripts/count_tests.py "$log" "$left" || status=1
exit $status
