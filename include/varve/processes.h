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
 * A rank counts as ended when the last copy of its descriptors is closed. So
 * every process that has copies but is no rank must call varve_processes_free
 * or end: a parent that only forks, and a child of a rank that outlives the
 * rank.
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
 * `size` must be at least 1. `options` may be NULL. The group uses two
 * descriptors for each rank except one, until the processes join.
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
