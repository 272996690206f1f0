#!/usr/bin/env bash
# run.sh - Fuzzes one target for a time and prints the result as JSON.
#
#     tests/fuzz/run.sh TARGET SECONDS [BUILD]
#     tests/fuzz/run.sh --list
#
# Builds with clang in BUILD (default: build-fuzz), with AddressSanitizer and
# UndefinedBehaviorSanitizer. The initial inputs are the corpus of the target,
# those of the other targets and the output of make_seeds. New inputs are kept
# in BUILD/corpus for the next run. Inputs that cause a failure are written to
# BUILD/found and, if they are small, to standard error in base64; the exit
# status is then 1. One line of JSON is written to standard output.
#
# Environment variables: SEED, a number, makes runs mostly reproducible.
# OPTIMIZATION is Meson's option for a new BUILD (default: 2).
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

# Several targets can be started at the same time: only one of them may run the
# configuration step.
build_target() {
    [ -f "$build/build.ninja" ] ||
        CC=clang meson setup "$build" -Dfuzz=true -Dtests=enabled \
            -Dtool=disabled -Dexamples=false -Dbench=false \
            -Doptimization="${OPTIMIZATION-2}" \
            -Db_sanitize=address,undefined -Db_lundef=false \
            -Dc_args=-fno-sanitize-recover=all
    ninja -C "$build" "$program" tests/fuzz/make_seeds
}

# The inputs of mix are programs, not files: it starts with its own seeds only.
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

# Removes the temporary files of a target that crashed, too.
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
