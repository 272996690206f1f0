/* mpi.h - Creates a communicator over MPI.
 *
 *     MPI_Init(&count, &arguments);
 *     varve_comm *comm = varve_mpi_comm_new(MPI_COMM_WORLD, &error);
 *     ...
 *     varve_mpi_comm_free(comm);
 *     MPI_Finalize();
 *
 * It is in a separate library, libvarve-mpi (pkg-config varve-mpi), which
 * exists if Varve was built with MPI.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_MPI_H
#define VARVE_MPI_H

#include <mpi.h>

#include <varve/comm.h>
#include <varve/error.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* Creates a communicator of all processes of `group`, with the same ranks.
 *
 * `group` is duplicated, so that messages of the program and of Varve are
 * separate. Its error handler is not changed. Collective.
 *
 * Threads: MPI is called by the thread that calls the communicator, one at a
 * time. MPI_THREAD_FUNNELED is sufficient if that is the thread that has
 * initialized MPI. Asynchronous saves need MPI_THREAD_MULTIPLE, because they
 * call MPI in a thread of their own, with a duplicate of the communicator.
 *
 * Failed processes: if a process ends, most versions of mpirun end all other
 * processes, and saves that are not complete are lost. If MPI returns an error
 * instead, the call returns VARVE_DISCONNECTED, and so do all later calls of
 * this rank. If MPI has MPIX_Comm_revoke (ULFM, as in Open MPI 5), the calls of
 * all other ranks return it too, so that none waits. The remaining processes
 * can then free this communicator, shrink their own, create a new one from it
 * and resume.
 *
 * Free the result with varve_mpi_comm_free. Returns NULL on failure.
 *
 * - Fails with VARVE_MISUSE before MPI_Init and after MPI_Finalize.
 * - Fails with VARVE_NO_MEMORY on all ranks if one rank has no memory. */
VARVE_API varve_comm *varve_mpi_comm_new(
    MPI_Comm group, varve_error *error) VARVE_MUST_CHECK;

/* Frees a communicator. Takes NULL.
 *
 * Call it before MPI_Finalize, when no asynchronous save is pending.
 * Collective. */
VARVE_API void varve_mpi_comm_free(varve_comm *comm);

VARVE_END_DECLS

#endif
