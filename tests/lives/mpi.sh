#!/usr/bin/env bash
# mpi.sh - Runs lives over MPI, restarted each time with another number of
# ranks.
#
#     tests/lives/mpi.sh MPIRUN PROGRAM LIVES WORLD [OPTION OF MPIRUN...]
#
# With `--with-ft ulfm`, in an Open MPI that supports it, the remaining ranks
# continue after a rank was killed.
#
# SPDX-License-Identifier: MIT
set -uo pipefail
mpirun=$1 program=$2 lives=$3 world=$4
shift 4
options=("$@")
place=$(mktemp -d) || exit
trap 'rm -rf "$place"' EXIT

fail() {
    echo "mpi.sh: $world, life $life of $ranks ranks: $*"
    cat "$place/log"
    exit 1
}

. "$(dirname "$0")/../mpi/options.sh"

mkdir "$place/run" "$place/session"
export TMPDIR=$place/session # of this mpirun only
RANDOM=1
killed=0 shrunk=0
for ((life = 1; life <= lives; life++)); do
    ranks=$((RANDOM % 6 + 1)) status=0
    timeout -k 5 60 "$mpirun" "${options[@]}" -n "$ranks" "$program" \
        "$world" "$place/run" "$life" >"$place/log" 2>&1 || status=$?
    [ $status -ne 124 ] || fail 'some ranks did not end'
    ! grep -q '^lives: .*:\|signal [1-8] \|signal 1[0-9] ' "$place/log" ||
        fail 'a rank failed'
    shrunk=$((shrunk + $(grep -c 'ranks continue' "$place/log")))
    [ $status -eq 0 ] || killed=$((killed + 1))
done
echo "$world: $lives lives over MPI; $killed ended by a kill," \
    "$shrunk times ranks continued after a loss"
[ -s "$place/run/saved" ] || fail 'nothing was saved'
