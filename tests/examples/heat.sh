#!/usr/bin/env bash
# heat.sh - Runs a simulation of several processes without interruption, then
# kills another and resumes it with a different number of processes. The results
# must be identical bit for bit.
#
#     heat.sh PROGRAM [MPIRUN]
#
# SPDX-License-Identifier: MIT
set -eu

. "$(dirname "$0")/ranks.sh"
steps=200

fail() {
    echo "FAILED: $*"
    cat ./*.log
    exit 1
}

# Prints the start time and the number of the processes that run the program in
# a directory, without those that start it. Numbers of processes wrap around.
ranks_of() {
    local process
    for process in /proc/[0-9]*; do
        case $({ tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null) in
        "$program "*" $1 "*)
            echo "$(cut -d ' ' -f 22 "$process/stat") ${process#/proc/}"
            ;;
        esac
    done
}

# Kills one of the processes of the program once it has saved and prints the
# exit status of the whole job.
kill_one() {
    heat "$1" 100000 "$2" >"$2.log" 2>&1 &
    local whole=$! status=0 tries=0
    until [ -e "$2/heat-2.varve" ]; do
        sleep 0.05
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || fail "nothing was saved"
    done
    kill -KILL "$(ranks_of "$2" | sort -n | tail -n 1 | cut -d ' ' -f 2)"
    wait "$whole" || status=$?
    [ "$status" -ne 0 ] || fail "a process was killed without an error"
    [ "$status" -ne 124 ] || fail "a process was killed, and others did not end"
    echo "killed one of $1: ended with $status"
}

heat 1 "$steps" unbroken >unbroken.log 2>&1 || fail "the program failed"
expected=$(grep '^step ' unbroken.log)
echo "unbroken: $expected"
for ranks in 2 5; do
    heat "$ranks" "$steps" "of-$ranks" >"of-$ranks.log" 2>&1 || fail "of $ranks"
    [ "$(grep '^step ' "of-$ranks.log")" = "$expected" ] ||
        fail "the result with $ranks processes differs"
done
kill_one 8 broken
rm -f broken/heat-[0-9]*[0-9].varve # saved after the kill
heat 3 "$steps" broken >resumed.log 2>&1 || fail "resuming failed"
grep -q '^3 processes resume from step [1-9]' resumed.log ||
    fail "the program did not resume"
[ "$(grep '^step ' resumed.log)" = "$expected" ] ||
    fail "the result after resuming with 3 processes differs"
echo "killed with 8 processes and resumed with 3: equal, bit for bit"
