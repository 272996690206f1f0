#!/usr/bin/env bash
# pairs.sh - what N processes have saved M go on with, for each pair: the heat
# that they come to is that of one process without a break, bit for bit.
#
#     pairs.sh PROGRAM [MPIRUN]
#
# SPDX-License-Identifier: MIT
set -eu

program=$1
mpirun=${2:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
[ -z "$mpirun" ] || # what MPI leaks is its own
    export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
counts=(1 2 3 4 5 8)

# heat RANKS STEPS DIRECTORY
heat() {
    if [ -n "$mpirun" ]; then
        timeout 120 "$mpirun" --oversubscribe -n "$1" "$program" "$2" "$3"
    else
        timeout 120 "$program" "$1" "$2" "$3"
    fi
}

expected=$(heat 1 30 unbroken | grep '^step ')
failed=0
printf 'saved by, restored by: %s\n' "${counts[*]}"
for n in "${counts[@]}"; do
    heat "$n" 20 "of-$n" >log 2>&1 || { cat log; exit 1; }
    row=
    for m in "${counts[@]}"; do
        cp -r "of-$n" go-on
        if heat "$m" 30 go-on >log 2>&1 &&
            grep -q "^$m processes go on from step 20$" log &&
            [ "$(grep '^step ' log)" = "$expected" ]; then
            row+=" same"
        else
            row+=" OTHER"
            failed=1
            cat log
        fi
        rm -r go-on
    done
    echo "$n:$row"
done
exit "$failed"
