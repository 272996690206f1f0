#!/usr/bin/env bash
# run.sh - Runs a program with mpirun and a limit of two minutes.
#
#     tests/mpi/run.sh MPIRUN COUNT PROGRAM [kill
#  threads]
#
# With `kill` a rank kills itself: then the program must fail, but not because
# of the limit. With `threads` several threads of each rank call MPI.
#
# SPDX-License-Identifier: MIT
set -uo pipefail
mpirun=$1 count=$2 program=$3 what=${4-}

# Two mpirun that start at the same time may fail to create the same session
# directory.
TMPDIR=$(mktemp -d) || exit
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

options=()
. "$(dirname "$0")/options.sh"
# Leaks of MPI are not reported; the program checks for its own before it ends.
LSAN_OPTIONS=suppressions=$(dirname "$0")/leaks.txt:print_suppressions=0
export LSAN_OPTIONS=$LSAN_OPTIONS:leak_check_at_exit=0

timeout -k 5 120 "$mpirun" "${options[@]}" -n "$count" "$program" \
    ${what:+"$what"}
status=$?
if [ "$what" != kill ]; then
    exit $status
fi
if [ $status -eq 0 ] || [ $status -eq 124 ]; then
    echo "run.sh: the others must end with an error, exit status $status"
    exit 1
fi
