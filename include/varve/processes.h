/* processes.h - Creates a communicator for forked processes on one machine.
 *
 *     varve_processes *all = varve_processes_new(4, NULL, &error);
 *     for (rank = 3; rank > 0 && fork() != 0; rank--)
 *         ;
 *     const varve_comm *comm = varve_processes_join(all, rank, &error);
 *     ...
 *     varve_processes_free(all);
 *
 * Each rank except 0 is connected to rank 0 by a socket. If a rank ends, for
 * any reason, calls of the other ranks that need it return VARVE_DISCONNECTED.
 * If it ends before it has joined, the others detect that when they have
 * joined.
 *
 * fork copies the descriptors of the sockets. A rank counts as ended when all
 * copies of its descriptors are closed. Each rank closes those of the others
 * when it joins. Processes that have copies but are not ranks must call
 * varve_processes_free or end:
 *
 * - a parent that forks the ranks and does not join,
 * - a child process that a rank forks, before the rank ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_PROCESSES_H
#define VARVE_PROCESSES_H

#include <varve/allocator.h>
#include <varve/comm.h>
#include <varve/error.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* Options of a group of processes. All zero is the default, and NULL is the
 * same. */
typedef struct varve_processes_options {
    int64_t timeout_ms; /* maximum time in milliseconds that a call waits
                           without transferring a byte. Then it returns
                           VARVE_TIMEOUT, and VARVE_DISCONNECTED on other
                           ranks. 0: no limit */
    const varve_allocator *allocator; /* NULL: default allocator; copied */
    varve_reserved reserved;
} varve_processes_options;

/* Creates the sockets of a group of `size` processes. Call it before fork.
 *
 * `size` must be at least 1. `options` may be NULL. The group opens
 * 2 * (size - 1) descriptors, which each forked process inherits. After
 * varve_processes_join rank 0 has size - 1 of them, each other rank has one.
 *
 * Free the result with varve_processes_free in every process. Returns NULL on
 * failure. */
VARVE_API varve_processes *varve_processes_new(uint32_t size,
    const varve_processes_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Makes this process a rank of the group. Call it once in each process, with
 * different ranks.
 *
 * Returns the communicator, which is valid until varve_processes_free. Returns
 * NULL on failure. If two ranks call different functions of the communicator,
 * or with different sizes, the rank that detects it gets VARVE_MISUSE. */
VARVE_API const varve_comm *varve_processes_join(varve_processes *processes,
    uint32_t rank, varve_error *error) VARVE_MUST_CHECK;

/* Leaves the group and frees it in this process. Takes NULL.
 *
 * Bytes that were already sent arrive. Later calls that need this rank fail, on
 * this communicator and on its duplicates (comm.h). */
VARVE_API void varve_processes_free(varve_processes *processes);

VARVE_END_DECLS

#endif
