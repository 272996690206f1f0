# ranks.sh - Contains the common part of heat.sh and pairs.sh. Sourced with the
# program and optionally mpirun; changes to a temporary folder that is removed
# at exit.
#
# SPDX-License-Identifier: MIT
program=$1
mpirun=${2:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export TMPDIR=$scratch # for the session directory of this mpirun only
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
[ -z "$mpirun" ] || # leaks of MPI are not reported
    export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# heat RANKS STEPS DIRECTORY
heat() {
    if [ -n "$mpirun" ]; then
        timeout 120 "$mpirun" --oversubscribe -n "$1" "$program" "$2" "$3"
    else
        timeout 120 "$program" "$1" "$2" "$3"
    fi
}
