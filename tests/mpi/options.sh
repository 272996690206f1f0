# options.sh - sourced with `mpirun` and `options`: adds to these what Open MPI
# needs on a machine with few processors, as root or not.
#
# SPDX-License-Identifier: MIT
if "$mpirun" --version 2>&1 | grep -q 'Open MPI\|OpenRTE'; then
    options+=(--oversubscribe)
    # Root in a container is nobody to be warned, and has no other's memory.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
    # Waiting ranks let the others run, where there are fewer processors.
    export OMPI_MCA_mpi_yield_when_idle=1
fi
