#!/usr/bin/env bash
# format.sh - gives the sources the look that .clang-format describes.
#
#     scripts/format.sh [--check] [FILE]...
#
# All of them without a FILE; what is neither C nor C++ is
# passed over, and so are tests,
# whose tables are laid out by hand. --check changes nothing and fails where
# something would be changed. Other versions of
# clang-format have other tastes: without the one below it says so, and exits
# with 77.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."

version=14
check=()
if [ "${1:-}" = --check ]; then
    check=(--dry-run --Werror)
    shift
fi

tool=$(command -v clang-format-$version || command -v clang-format || true)
if [ -z "$tool" ] || ! "$tool" --version | grep -q "version $version\."; then
    echo "format: skipped: expected clang-format $version"
    exit 77
fi

if [ $# -gt 0 ]; then
    files=()
    for file; do
        [[ $file != *.@(c|h|cpp|hpp|cu) || $file == tests/* || ! -f $file ]] ||
            files+=("$file")
    done
else
    mapfile -t files < <(
        find include lib tools examples bench \
            -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.cu' | sort)
fi
[ ${#files[@]} -eq 0 ] || "$tool" "${check[@]:--i}" "${files[@]}"
