#!/usr/bin/env bash
# pairs.sh - Saves with N processes and resumes with M, for each pair. The
# result must be bit-for-bit that of one process without interruption.
#
#     pairs.sh PROGRAM [MPIRUN]
#
# SPDX-License-Identifier: MIT
set -eu

. "$(dirname "$0")/ranks.sh"
counts=(1 2 3 4 5 8)

expected=$(heat 1 30 unbroken | grep '^step ')
failed=0
printf 'saved by, restored by: %s\n' "${counts[*]}"
for n in "${counts[@]}"; do
    heat "$n" 20 "of-$n" >log 2>&1 || { cat log; exit 1; }
    row=
    for m in "${counts[@]}"; do
        cp -r "of-$n" go-on
        if heat "$m" 30 go-on >log 2>&1 &&
            grep -q "^$m processes resume from step 20$" log &&
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
