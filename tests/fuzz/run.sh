#!/usr/bin/env bash
# run.sh - fuzzes one target for a time, and says in JSON how far it came.
#
#     tests/fuzz/run.sh TARGET SECONDS [BUILD]
#     tests/fuzz/run.sh --list
#
# Builds with clang in BUILD (build-fuzz), with AddressSanitizer and
# UndefinedBehaviorSanitizer, and begins at the corpus of the target, the other
# targets' and what make_seeds writes. What it finds new is kept in BUILD/corpus
# for the next run; what breaks the library goes to BUILD/found, and to standard
# error in base64 where it is small, and the exit status is then 1. One line of
# JSON goes to standard output. SEED, a number, makes a run much like another.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/../.."

targets=(bundle bundle_entries dcp flax gguf index keras layers mix npy npz onnx
    reader restore rewrite safetensors safetensors_index torch)

usage() {
    sed -n '4,5s/^# \{0,1\}//p' tests/fuzz/run.sh >&2
    exit 2
}

if [ "${1-}" = --list ]; then
    printf '%s\n' "${targets[@]}"
    exit
fi
[ $# -ge 2 ] && [ $# -le 3 ] || usage
target=$1
seconds=$2
build=${3-build-fuzz}
[[ " ${targets[*]} " == *" $target "* ]] || usage

if ! command -v clang >/dev/null; then
    echo "fuzz: there is no clang here, and so no libFuzzer;" \
        "scripts/setup.sh all installs it" >&2
    exit 3
fi

# Several targets are started at a time: only one of them configures.
build_target() {
    [ -f "$build/build.ninja" ] ||
        CC=clang meson setup "$build" -Dfuzz=true -Dtests=enabled \
            -Dtool=disabled -Dexamples=false -Dbench=false \
            -Db_sanitize=address,undefined -Db_lundef=false \
            -Dc_args=-fno-sanitize-recover=all
    ninja -C "$build" "$program" tests/fuzz/make_seeds
}

# The programs of mix are no files: it begins at its own alone.
program=tests/fuzz/fuzz_$target
corpora=(tests/fuzz/corpus/*/ "$build/seeds/$target")
largest=32768
if [ "$target" = mix ]; then
    program=tests/mix/fuzz_mix
    corpora=(tests/fuzz/corpus/mix)
    largest=384
fi

mkdir -p "$build.lock"
(
    flock 9
    build_target >&2
) 9>"$build.lock/lock"

scratch=$build/corpus/$target
found=$build/found/$target
log=$build/$target.log
mkdir -p "$scratch" "$found" "$build/seeds/$target"
"$build/tests/fuzz/make_seeds" "$build/seeds/$target" \
    tests/golden/*.varve >&2

# What a target that dies has in files goes too.
TMPDIR=$([ -w /dev/shm ] && mktemp -d -p /dev/shm || mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

result=0
ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:allocator_may_return_null=1 \
    "$build/$program" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -seed="${SEED-0}" \
    -max_len=$largest -len_control=20 -use_value_profile=0 \
    -print_final_stats=1 -artifact_prefix="$found/" "$scratch" \
    "${corpora[@]}" >"$log" 2>&1 </dev/null || result=1
if [ $result != 0 ]; then
    tail -60 "$log" >&2
    find "$found" -type f -size -9k -newer "$build/seeds/$target" \
        -exec base64 {} \; >&2
fi

executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
last() {
    sed -n "s/.* $1: \([0-9]*\).*/\1/p" "$log" | tail -1
}
edges=$(last cov)
features=$(last ft)
crashes=$(find "$found" -type f | wc -l)
printf '{"target": "%s", "seconds": %s, "executions": %s, "edges": %s, ' \
    "$target" "$seconds" "${executions:-0}" "${edges:-0}"
printf '"features": %s, "crashes": %s, "passed": %s}\n' \
    "${features:-0}" "$crashes" "$([ $result = 0 ] && echo true || echo false)"
exit $result
