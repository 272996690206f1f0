#!/bin/bash
# run.sh - runs the benchmarks: a table on standard error, JSON on standard
# output. `bench/run.sh [BUILD] [OPTIONS]`; BUILD is a build folder with
# buildtype=release, OPTIONS are those of the program (`--smoke`, `--full`,
# `--rounds N`, `--only ID`). SCRATCH names the folder to write in, on the disk
# to be measured. scripts/setup.sh bench gets what it is compared with.
# SPDX-License-Identifier: MIT
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build="$root/build-bench"
if [[ $# -gt 0 && -d $1 ]]; then
    build=$(cd "$1" && pwd)
    shift
elif [[ ! -d $build ]]; then
    meson setup "$build" "$root" --buildtype=release -Dtests=disabled \
        -Dbench=true >&2
    ninja -C "$build" >&2
fi
scratch=$(mktemp -d "${SCRATCH:-$build}/bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
"$build/bench/bench" "$@" "$scratch"
