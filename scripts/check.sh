#!/usr/bin/env bash
# check.sh - Checks the changed files quickly: format, lint, and the unit tests
# of these files.
#
#     scripts/check.sh [COMMIT]
#
# Checks all changes since COMMIT (default: HEAD, the uncommitted changes). To
# use it as a git hook: ln -s ../../scripts/check.sh .git/hooks/pre-commit
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"

build=build/check
mapfile -t changed < <(
    git diff --name-only --diff-filter=d "${1:-HEAD}"
    git ls-files --others --exclude-standard
)

printf '== format and lint\n'
scripts/format.sh --check "${changed[@]}" || [ $? -eq 77 ]
python3 -B tests/lint/lint.py .

# A unit test has the name of its file and contains its suites.
declare -A suites=()
for file in "${changed[@]}"; do
    name=$(basename "$file" .c)
    name=${name%.h}
    for test in tests/unit/*/"test_${name#test_}.c"; do
        [ -f "$test" ] || continue
        layer=$(basename "$(dirname "$test")")
        suites[$layer]+=" $(sed -n 's/^TEST(\([a-z_0-9]*\),.*/\1/p' "$test")"
    done
done
[ ${#suites[@]} -gt 0 ] || exit 0

[ -f $build/build.ninja ] ||
    meson setup $build -Dtests=enabled -Dexamples=false >/dev/null
programs=("${!suites[@]}")
ninja -C $build "${programs[@]/#/tests/unit_}" | tail -1
python3 -B tests/lint/fields.py . $build "${changed[@]}"
for layer in "${programs[@]}"; do
    for suite in $(tr ' ' '\n' <<<"${suites[$layer]}" | sort -u | grep .); do
        printf '== %s/%s\n' "$layer" "$suite"
        $build/tests/unit_"$layer" --filter "$suite/*" -j1
    done
done
