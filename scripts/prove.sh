#!/usr/bin/env bash
# prove.sh - Runs the long versions of the tests and counts their cases.
#
#     scripts/prove.sh [--fuzz SECONDS] [--seed NUMBER] [--only SECTION]...
#
# Sections: proofs (every fault, once and permanent, power failures, 100,000
# kills, a million corruptions, two million random programs, a million
# simulated schedules, mutation tests), mutations (scripts/mutate.py),
# sanitizers (the usual versions under AddressSanitizer and
# UndefinedBehaviorSanitizer), threads (under ThreadSanitizer), clang (unit
# tests compiled by clang), profiles (scripts/profiles.sh: all tests of the
# reduced builds), portable (scripts/portable.sh: other machines) and fuzz,
# which runs each target for an hour (--fuzz) in parallel with the others.
# A table is printed to standard error and JSON (schema varve.proof/1) to
# standard output; logs are in build/prove/. The exit status is 0 only if all
# tests pass.
#
# SPDX-License-Identifier: MIT
set -uo pipefail
cd "$(dirname "$0")/.." || exit
exec </dev/null 3>&1 >&2

fuzz_seconds=3600
seed=
chosen=()

usage() {
    sed -n '2,4s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || usage
    case $1 in
    --fuzz) fuzz_seconds=$2 ;;
    --seed) seed=$2 ;;
    --only) chosen+=("$2") ;;
    *) usage ;;
    esac
    shift 2
done
[ ${#chosen[@]} -gt 0 ] ||
    chosen=(fuzz proofs mutations sanitizers threads clang profiles portable)

place=$PWD/build/prove
mkdir -p "$place"
export VARVE_PROOF_COUNTS=$place/counts
results=$place/results
executions=$place/fuzz
rm -f "$VARVE_PROOF_COUNTS" "$results" "$executions"
[ -z "$seed" ] || export VARVE_PROOF_SEED=$seed

# section NAME COMMAND...
section() {
    local name=$1 begin=$SECONDS result=passed
    shift
    echo "== $name"
    "$@" >"$place/$name.log" 2>&1 || result=failed
    [ $result = passed ] || tail -40 "$place/$name.log"
    echo "== $name: $result after $((SECONDS - begin)) s"
    echo "$name $result $((SECONDS - begin))" >>"$results"
}

is_chosen() {
    [[ " ${chosen[*]} " == *" $1 "* ]]
}

# configure BUILD OPTION...
configure() {
    local build=$1
    shift
    [ -f "$build/build.ninja" ] || meson setup "$build" "$@"
}

# long BUILD SUITE: runs tests in their long version, without a time limit.
long() {
    ninja -C "$1" &&
        VARVE_PROOF=long meson test -C "$1" --no-rebuild --print-errorlogs \
            --timeout-multiplier 0 --suite "$2"
}

proofs() {
    configure "$place/plain" -Dtests=enabled -Dexamples=true -Dbench=true &&
        long "$place/plain" proof
}

# The counts of the usual versions are not added: they would be misleading.
sanitizers() {
    configure "$place/sanitizers" -Dtests=enabled -Dexamples=true \
        -Dbench=true \
        -Db_sanitize=address,undefined -Db_lundef=false \
        -Dc_args=-fno-sanitize-recover=all &&
        ninja -C "$place/sanitizers" &&
        VARVE_PROOF_COUNTS='' ASAN_OPTIONS=detect_leaks=1 \
            meson test -C "$place/sanitizers" --no-rebuild --print-errorlogs \
            --timeout-multiplier 0
}

threads() {
    configure "$place/threads" -Dtests=enabled -Dtool=disabled \
        -Dexamples=false -Dbench=false -Db_sanitize=thread -Db_lundef=false &&
        VARVE_PROOF=long TSAN_OPTIONS=halt_on_error=1 \
            meson test -C "$place/threads" --print-errorlogs \
            --timeout-multiplier 0 --suite threads
}

clang() {
    CC=clang CXX=clang++ configure "$place/clang" -Dtests=enabled \
        -Dtool=disabled -Dexamples=false -Dbench=false &&
        meson test -C "$place/clang" --print-errorlogs \
            --timeout-multiplier 0 --suite unit --suite story
}

# Mutations of the lines that changed since the last release, or in the last
# hundred commits.
mutations() {
    local since
    since=$(git describe --tags --abbrev=0 2>/dev/null || echo HEAD~100)
    configure "$place/plain" -Dtests=enabled -Dexamples=true -Dbench=true &&
        ninja -C "$place/plain" &&
        scripts/mutate.py --build "$place/plain" --since "$since" \
            --count 1000 --least 75
}

profiles() {
    PROFILES=$place/profiles scripts/profiles.sh
}

portable() {
    scripts/portable.sh
}

# Each target runs alone, in parallel with everything else.
fuzz() {
    nice -n 19 tests/fuzz/run.sh "$1" "$fuzz_seconds" >"$place/fuzz-$1.json" &&
        cat "$place/fuzz-$1.json" >>"$executions"
}

scripts/setup.sh all || exit
if is_chosen fuzz; then
    for target in $(tests/fuzz/run.sh --list); do
        section "fuzz-$target" fuzz "$target" &
    done
fi
for name in proofs mutations sanitizers threads clang profiles portable; do
    if is_chosen $name; then
        section $name $name
    fi
done
wait
python3 -B scripts/proof_report.py "$results" "$VARVE_PROOF_COUNTS" \
    "$executions" >&3
