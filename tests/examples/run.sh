#!/usr/bin/env bash
# run.sh - Tests all examples.
#
#     run.sh DIRECTORY-OF-THE-BUILT-EXAMPLES [COMMAND]
#
# Runs every example in its own directory and compares its output with
# examples/expected. Kills the training program at random times; when resumed,
# it must end with identical values. Then asks it to stop; it must save, exit,
# and resume.
#
# COMMAND is the command varve, which compares the values of checkpoints.
# Without it only their number and the output of the programs are compared, and
# a message is printed.
#
# SPDX-License-Identifier: MIT
set -eu

programs=$(cd "$1" && pwd)
varve=${2:+$(cd "$(dirname "$2")" && pwd)/$(basename "$2")}
source=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

text=/usr/share/common-licenses/GPL-3
[ -r "$text" ] || text=$source/LICENSE
steps=48
save_every=4
kills=6

fail() {
    echo "FAILED: $*"
    exit 1
}

enter() {
    mkdir -p "$scratch/$1"
    cd "$scratch/$1"
}

milliseconds() {
    local now=${EPOCHREALTIME/[.,]/}
    echo $((now / 1000))
}

# compare NAME: compares the output with the expected one.
compare() {
    diff -u "$source/examples/expected/$1.txt" printed ||
        fail "the output of $1 differs"
    echo "$1: as expected"
}

# train DIRECTORY [SAVE-EVERY]: replaces the shell it runs in, so that killing
# that shell kills the program.
train() {
    exec "$programs/01_train" --steps "$steps" \
        --save-every "${2:-$save_every}" --keep 0 --directory "$1" "$text"
}

# Numbers differ between mathematics libraries. Only the format of the output is
# compared, and the loss must decrease.
check_training_output() {
    sed -E -e 's/[0-9]+\.[0-9]{3} bits/B.BBB bits/' -e '/bits|saved/!d' \
        uninterrupted.log >printed
    compare 01_train
    grep -Eq '^fresh start: [0-9]+ characters' uninterrupted.log ||
        fail '01_train does not report a fresh start'
    local first last
    first=$(sed -nE 's/^step .* ([0-9.]+) bits.*/\1/p' uninterrupted.log |
        head -n 1)
    last=$(sed -nE 's/^step .* ([0-9.]+) bits.*/\1/p' uninterrupted.log |
        tail -n 1)
    awk "BEGIN { exit !($last < $first) }" ||
        fail "the loss does not fall: $first, then $last"
    echo "01_train: the loss falls from $first to $last bits per character"
}

# Starts the training and kills it after $1 milliseconds; prints the step it has
# reached. Fails if the training has ended before.
kill_after() {
    train interrupted >>interrupted.log 2>&1 &
    local victim=$!
    sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"
    kill -KILL "$victim" 2>/dev/null || true
    local status=0
    wait "$victim" 2>/dev/null || status=$?
    [ "$status" -eq 0 ] && return 1
    [ "$status" -eq 137 ] || fail "01_train ended with $status:" \
        "$(tail -n 3 interrupted.log)"
    echo "killed after $1 ms, with $(count_saved interrupted) saved"
}

count_saved() {
    find "$1" -name 'ckpt-*.varve' 2>/dev/null | wc -l
}

same_checkpoints() {
    local saved=$((steps / save_every)) file
    # Metadata differ, because they contain the run ID.
    for file in uninterrupted/ckpt-*.varve; do
        [ -z "$varve" ] ||
            "$varve" diff --values "$file" "interrupted/${file##*/}" ||
            fail "${file##*/} differs after a kill"
    done
    [ "$(count_saved uninterrupted)" -eq "$saved" ] ||
        fail "$(count_saved uninterrupted) checkpoints instead of $saved"
    [ "$(count_saved interrupted)" -eq "$saved" ] ||
        fail "$(count_saved interrupted) checkpoints instead of $saved"
    if [ -n "$varve" ]; then
        echo "all $saved checkpoints have the same values, bit for bit"
    else
        echo 'values are not compared without the command varve'
    fi
}

kill_and_resume() {
    local begin before landed=0 told=1
    begin=$(milliseconds)
    (train uninterrupted) >uninterrupted.log
    took=$(($(milliseconds) - begin))
    echo "01_train: $steps steps took $took ms"
    check_training_output
    for _ in $(seq "$kills"); do
        before=$(count_saved interrupted)
        kill_after $((took / 10 + RANDOM % (took / 4 + 1))) || break
        landed=$((landed + 1))
        # Each save also writes the events up to its step.
        [ "$(count_saved interrupted)" -eq "$before" ] || told=$((told + 1))
    done
    (train interrupted) >>interrupted.log
    [ "$landed" -gt 0 ] || fail 'no process was killed in time'
    grep -q '^resumed at step' interrupted.log || fail 'nothing was resumed'
    same_checkpoints
    (train uninterrupted) >again.log
    head -n 1 again.log | grep -q "^resumed at step $steps from " ||
        fail 'a finished training does not report where it resumes'
    grep -q '^saved' again.log && fail 'a finished training saves again'
    local files
    files=$(find interrupted/events -name 'events.out.tfevents.*' -size +0 |
        wc -l)
    [ "$files" -ge "$told" ] ||
        fail "$files event files for $told runs that have saved"
}

# Prints the last lines of a training: the loss, and a generated text.
end_of() {
    sed -n "/^step  *$steps /,\$p" "$1" | grep -v '^saved'
}

stop_and_resume() {
    train stopped "$steps" >stopped.log 2>&1 &
    local training=$! status=0 at
    sleep "$(printf '%d.%03d' $((took / 3000)) $((took / 3 % 1000)))"
    kill -TERM "$training"
    wait "$training" || status=$?
    [ "$status" -eq 75 ] || fail "asked to stop, 01_train ends with $status"
    at=$(sed -nE 's/^stopped at step ([0-9]+);.*/\1/p' stopped.log)
    [ -n "$at" ] || fail 'asked to stop, 01_train does not report the step'
    (train stopped "$steps") >resumed.log
    head -n 1 resumed.log | grep -q "^resumed at step $at from " ||
        fail "stopped at step $at, but $(head -n 1 resumed.log)"
    diff <(end_of uninterrupted.log) <(end_of resumed.log) ||
        fail 'a training that was stopped has a different result'
    echo "01_train: stopped at step $at, saved, and resumed"
}

keeps_the_newest() {
    "$programs/01_train" --steps 5 --save-every 1 --keep 2 --quiet \
        --directory few "$text"
    [ -e few/ckpt-4.varve ] && [ -e few/ckpt-5.varve ] ||
        fail 'the newest checkpoints were deleted'
    [ "$(count_saved few)" -le 3 ] ||
        fail "$(count_saved few) checkpoints, not the newest 2 and the best"
    echo '01_train: old checkpoints are deleted'
}

runs_without_events() {
    mkdir blocked
    echo 'no directory' >blocked/events
    "$programs/01_train" --steps 2 --quiet --directory blocked "$text" \
        2>warned.log || fail 'without events, 01_train fails'
    grep -q '^01_train: warning: .*blocked/events' warned.log ||
        fail "no warning: $(cat warned.log)"
    [ "$(count_saved blocked)" -eq 1 ] || fail 'without events, none is saved'
    echo '01_train: runs without events'
}

for name in 02_renamed 03_accept_reject 04_transfer 05_custom_state \
    07_rollback 08_mix 11_servers 12_generators; do
    enter "$name"
    "$programs/$name" >printed
    compare "$name"
done

# It reads a Keras checkpoint and writes another one.
enter 06_from_keras
"$programs/06_from_keras" "$source/tests/golden/foreign/keras_adam" \
    out/trained >printed
compare 06_from_keras
for file in index data-00000-of-00001; do
    [ -s "out/trained.$file" ] || fail "06_from_keras wrote no trained.$file"
done

# It reads a PyTorch checkpoint and writes another one.
enter 15_from_torch
"$programs/15_from_torch" "$source/tests/golden/foreign/torch_transformer.pt" \
    out/trained.pt >printed
compare 15_from_torch
[ -s out/trained.pt ] || fail "15_from_torch wrote no trained.pt"

enter readme
{ "$programs/readme" && "$programs/readme"; } >printed
compare readme

# The same in C++, if there is a C++ compiler.
if [ -x "$programs/readme_cpp" ]; then
    enter readme_cpp
    { "$programs/readme_cpp" && "$programs/readme_cpp"; } >printed
    compare readme
    enter trained
    { "$programs/trained_cpp" && "$programs/trained_cpp"; } >printed
    compare trained
fi

# Killed at any time, it resumes from a complete checkpoint.
resume_in_the_background() {
    "$programs/09_background" run 20 >printed
    "$programs/09_background" run 24 >>printed
    compare 09_background
    local steps=60 pid killed=0 last=0 at
    for _ in 1 2 3; do
        "$programs/09_background" again "$steps" >log &
        pid=$!
        sleep "0.$((1 + RANDOM % 4))"
        kill -KILL "$pid" 2>/dev/null && killed=$((killed + 1))
        wait "$pid" 2>/dev/null || true
        "$programs/09_background" again 0 >log
        at=$(sed -nE 's/^at step ([0-9]+)$/\1/p' log)
        [ "$at" -ge "$last" ] || fail "09_background: step $at after $last"
        last=$at
    done
    "$programs/09_background" again "$steps" >log
    grep -qx "step $steps: rows 0 and 512 are at 0.996094 and 0.996094" log ||
        fail "09_background has a different result: $(cat log)"
    [ "$(count_saved again)" -eq 3 ] ||
        fail "$(count_saved again) checkpoints instead of 3"
    echo "09_background: killed $killed times, the last time at step $last"
}

enter 09_background
resume_in_the_background

enter 01_train
kill_and_resume
stop_and_resume
keeps_the_newest
runs_without_events
