# options.sh - Adds the options that Open MPI needs on a machine with few
# processors, also as root. Sourced with `mpirun` and `options`.
#
# SPDX-License-Identifier: MIT
if "$mpirun" --version 2>&1 | grep -q 'Open MPI\|OpenRTE'; then
    options+=(--oversubscribe)
    # In a container running as root is harmless, and other processes' memory is
    # not accessible.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
    # Waiting ranks yield, if there are fewer processors than ranks.
    export OMPI_MCA_mpi_yield_when_idle=1
fi
