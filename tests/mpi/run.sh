#!/usr/bin/env bash
# run.sh - a program under mpirun, which may not take longer than two minutes.
#
#     tests/mpi/run.sh MPIRUN COUNT PROGRAM [kill | threads]
#
# With `kill` a rank kills itself: then it has to fail, and not by the time.
# With `threads` several threads of each call MPI.
#
# SPDX-License-Identifier: MIT
set -uo pipefail
mpirun=$1 count=$2 program=$3 what=${4-}

options=()
if "$mpirun" --version 2>&1 | grep -q 'Open MPI\|OpenRTE'; then
    options=(--oversubscribe)
    # Root in a container is nobody to be warned, and has no other's memory.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
    # Waiting ranks let the others run, where there are fewer processors.
    export OMPI_MCA_mpi_yield_when_idle=1
fi
# What MPI does not give back is its own; the program asks before its end.
LSAN_OPTIONS=suppressions=$(dirname "$0")/leaks.txt:print_suppressions=0
export LSAN_OPTIONS=$LSAN_OPTIONS:leak_check_at_exit=0

timeout -k 5 120 "$mpirun" "${options[@]}" -n "$count" "$program" \
    ${what:+"$what"}
status=$?
if [ "$what" != kill ]; then
    exit $status
fi
if [ $status -eq 0 ] || [ $status -eq 124 ]; then
    echo "run.sh: expected that the others end, found status $status"
    exit 1
fi
