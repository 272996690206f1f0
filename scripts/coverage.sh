#!/usr/bin/env bash
# coverage.sh - Measures which lines and branches of lib/ the tests run.
#
#     scripts/coverage.sh [BUILD]
#
# Builds with gcc's counters, runs the tests of the library, and prints gcovr's
# table of lines and branches. Tests of the tool, the installation and lint are
# left out: they compare output, to which the counters would add messages.
# BUILD/coverage/index.html shows each line. Assertions are compiled out,
# because their branches must never be taken.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/coverage}

scripts/setup.sh coverage
[ -f "$build/build.ninja" ] ||
    CC=gcc meson setup "$build" -Dtests=enabled -Dexamples=true \
        -Dbench=true -Db_coverage=true \
        -Db_ndebug=true --buildtype=debug
ninja -C "$build"
find "$build" -name '*.gcda' -delete
meson test -C "$build" --no-rebuild --print-errorlogs \
    --no-suite cli --no-suite house

options=(--root . --object-directory "$build" --filter lib/
    --exclude-unreachable-branches)
mkdir -p "$build/coverage"
echo
gcovr "${options[@]}" --html-details "$build/coverage/index.html" \
    --json-summary "$build/coverage/summary.json" "$build" >/dev/null
for what in '' --branch; do
    gcovr "${options[@]}" $what "$build"
done
echo "coverage: line by line in $build/coverage/index.html"
