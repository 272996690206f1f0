/* mpi.h - a communicator over MPI. It is in a library of its own, libvarve-mpi
 * (pkg-config varve-mpi), which is there where Varve was built with MPI.
 *
 *     MPI_Init(&count, &arguments);
 *     varve_comm *comm = varve_mpi_comm_new(MPI_COMM_WORLD, &error);
 *     ...
 *     varve_mpi_comm_free(comm);
 *     MPI_Finalize();
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

/* All processes of `group` together, with the ranks that they have there. It is
 * duplicated: what the program sends there does not meet what is sent here, and
 * its handler of errors is not touched. MPI is called by the thread that calls
 * the communicator, one at a time; MPI_THREAD_FUNNELED will do for the one that
 * has initialized it. Saves in the background need MPI_THREAD_MULTIPLE: they
 * call MPI by a thread of their own, on a duplicate of their own. VARVE_MISUSE
 * before MPI_Init and after MPI_Finalize; VARVE_NO_MEMORY at all of them where
 * one has none.
 *
 * A process that ends is MPI's business: most kinds of mpirun end all others,
 * and what is not committed by then is not there. Where MPI gives an error
 * instead, the call is VARVE_DISCONNECTED, and so is every later one of this
 * rank; and where it has MPIX_Comm_revoke (ULFM, as in Open MPI 5), of all
 * others, so that none waits. Those that are left free the communicator, shrink
 * theirs, make another one of that, and resume. */
VARVE_API varve_comm *varve_mpi_comm_new(
    MPI_Comm group, varve_error *error) VARVE_MUST_CHECK;

/* By all of them together, before MPI_Finalize, when no save in the background
 * is in flight. Takes NULL. */
VARVE_API void varve_mpi_comm_free(varve_comm *comm);

VARVE_END_DECLS

#endif
