#!/usr/bin/env bash
# format.sh - Formats the sources as described in .clang-format.
#
#     scripts/format.sh [--check] [FILE]...
#
# Formats all sources if no FILE is given. Skips files that are neither C nor
# C++, and tests, whose tables are formatted by hand. --check changes nothing
# and fails if a file would change. Versions of clang-format differ in their
# output: without the version below the script prints a message and exits with
# 77.
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
    echo "format: skipped: clang-format $version is not installed"
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
