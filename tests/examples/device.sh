#!/usr/bin/env bash
# device.sh - Tests the training example on an OpenCL device.
#
#     device.sh PROGRAM [PROGRAM-WHOSE-DEVICE-FAILS]
#
# Runs the training without interruption, then kills a second one and resumes
# it. Both must end with bit-for-bit identical weights. Then it makes copies to
# and from the device fail: the message must name the variable, and no data may
# be lost. Exits with 77 without a device.
#
# SPDX-License-Identifier: MIT
set -eu

program=$1
failing=${2:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
# Kernels are compiled into this directory. Leaks in the driver are not
# reported.
export POCL_CACHE_DIR=$scratch/cache
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
mkdir cache

fail() {
    echo "FAILED: $*"
    cat ./*.log
    exit 1
}

# train STEPS DIRECTORY: prints the final result.
train() {
    timeout 120 "$program" "$1" "$2" >"$2.log" 2>&1 || fail "the program failed"
    grep '^step ' "$2.log"
}

# until_saved DIRECTORY
until_saved() {
    local tries=0
    until [ -e "$1/weights.varve" ]; do
        sleep 0.05
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || {
            kill -KILL "$training"
            fail "nothing was saved"
        }
    done
}

# refuse VARIABLE=N RESUMED MESSAGE: the program ends with the message if a copy
# fails, before or after it has resumed, and the file is unchanged.
refuse() {
    local status=0
    cp failed/weights.varve before
    env "$1" timeout 120 "$failing" 60 failed >failed.log 2>&1 || status=$?
    [ "$status" -eq 1 ] || fail "$1: exit status $status instead of 1"
    [ "$(grep -c '^resuming from step 20$' failed.log)" -eq "$2" ] ||
        fail "$1: failed at the wrong time"
    grep "$3" failed.log || fail "$1: the message must be $3"
    cmp before failed/weights.varve || fail "$1: the file has changed"
    [ "$(ls failed)" = weights.varve ] ||
        fail "$1: files were left: $(ls failed)"
}

status=0
timeout 120 "$program" 60 unbroken >unbroken.log 2>&1 || status=$?
if [ "$status" -eq 77 ]; then
    cat unbroken.log
    exit 77
fi
[ "$status" -eq 0 ] || fail "the program failed"
expected=$(grep '^step 60: ' unbroken.log)
echo "unbroken: $expected"

"$program" 100000000 broken >broken.log 2>&1 &
training=$!
until_saved broken
kill -KILL "$training"
wait "$training" 2>/dev/null || true
at=$(train 0 broken | sed 's/^step \([0-9]*\):.*/\1/')
[ "$at" -ge 20 ] || fail "killed at step $at"
[ "$(train $((at + 10)) broken)" = "$(train $((at + 10)) whole)" ] ||
    fail "resumed at step $at: the weights differ"
grep -q "^resuming from step $at$" broken.log ||
    fail "the program did not resume"
echo "killed at step $at and resumed: equal, bit for bit"

[ -n "$failing" ] || exit 0
train 20 failed >/dev/null
# Each buffer has three ranges. A resume first copies the previous values.
refuse FAIL_READ=2 0 'momentum: copying its value out failed with VARVE_IO$'
refuse FAIL_WRITE=5 0 'weights: copying its value in failed with VARVE_IO$'
refuse FAIL_READ=8 1 'momentum: copying its value out failed with VARVE_IO$'
refuse FAIL_READ=11 1 'weights: copying its value out failed with VARVE_IO$'
[ "$(train 60 failed)" = "$expected" ] ||
    fail "the weights differ after failed copies"
