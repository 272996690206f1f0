#!/bin/bash
# run.sh - Runs the benchmarks: a table on standard error, JSON on standard
# output.
#
#     bench/run.sh [BUILD] [OPTIONS]             Varve and plain file access
#     bench/run.sh [BUILD] --peers [OPTIONS]     other libraries
#     bench/run.sh [BUILD] --loads [OPTIONS]     files of PyTorch and h5py
#     bench/run.sh [BUILD] --curves FOLDER [OPTIONS]    pictures of growth
#     bench/run.sh [BUILD] --processes [WRITERS [READERS [MIB [ROUNDS]]]]
#     bench/run.sh [BUILD] --processes --table [MIB [ROUNDS]]    1 to 8 of each
#
# BUILD is a build folder with buildtype=release and bench=true. SCRATCH is the
# folder for temporary files, on the disk to be measured. The other libraries
# are installed by pip into a virtual environment, BUILD/peers, once; those that
# cannot be installed are reported as missing. VENV is another environment to
# use. scripts/setup.sh bench installs the other dependencies.
#
# SPDX-License-Identifier: MIT
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build="$root/build-bench"
if [[ $# -gt 0 && -d $1 ]]; then
    build=$(cd "$1" && pwd)
    shift
elif [[ ! -d $build ]]; then
    meson setup "$build" "$root" --buildtype=release -Dtests=disabled \
        -Dbench=true >&2
    ninja -C "$build" >&2
fi
scratch=$(mktemp -d "${SCRATCH:-$build}/bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# Uses an existing environment unchanged.
make_environment() {
    local package
    python3 -m venv "$1" >&2 || return 0
    while read -r package; do
        "$1/bin/pip" install --no-input -q "$package" >&2 </dev/null ||
            echo "run.sh: continuing without $package" >&2
    done <"$root/bench/peers/requirements.txt"
}

# python PROGRAM ARGUMENTS...: runs a program in peers/. A smoke test installs
# nothing.
python() {
    local program=$1 venv=${VENV:-$build/peers} python=python3
    shift
    [[ -d $venv || " $* " == *' --smoke '* ]] || make_environment "$venv"
    [[ ! -x $venv/bin/python ]] || python=$venv/bin/python
    "$python" -B "$root/bench/peers/$program.py" \
        --worker "$build/bench/worker" --scratch "$scratch" "$@"
}

case ${1-} in
--peers | --curves | --loads) python "${1#--}" "${@:2}" ;;
--processes) "$build/bench/processes" "${@:2}" "$scratch" ;;
*) "$build/bench/bench" "$@" "$scratch" ;;
esac
