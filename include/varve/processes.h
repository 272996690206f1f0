/* processes.h - a communicator of processes on one machine, for programs that
 * fork.
 *
 *     varve_processes *all = varve_processes_new(4, NULL, &error);
 *     for (rank = 3; rank > 0 && fork() != 0; rank--)
 *         ;
 *     const varve_comm *comm = varve_processes_join(all, rank, &error);
 *     ...
 *     varve_processes_free(all);
 *
 * Each rank but 0 is connected with rank 0 by a socket. How a process ends does
 * not matter: the others are told VARVE_DISCONNECTED as soon as they come to
 * need it. It is its last descriptor that tells, so whoever has copies of them
 * and is none of the ranks any more lets go of them by varve_processes_free, or
 * by ending: a parent that only forks, a child that a rank has forked and that
 * outlives it. A rank that ends before it has joined is noticed when the others
 * have joined.
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

/* All zero is the default; NULL stands for that. */
typedef struct varve_processes_options {
    int64_t timeout_ms; /* so long at most a call waits while no byte comes or
                           goes; then it is VARVE_TIMEOUT, and for the others
                           VARVE_DISCONNECTED. 0: for ever */
    const varve_allocator *allocator; /* or NULL; copied */
    varve_reserved reserved;
} varve_processes_options;

/* Before the processes are forked: the sockets of a group of `size`, at least
 * 1. That is two descriptors for each rank but one, which only the joining
 * reduces. */
VARVE_API varve_processes *varve_processes_new(uint32_t size,
    const varve_processes_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* In each of them, once: this process is that rank. Two may not be the same.
 * Valid until varve_processes_free. Of its calls, two ranks that disagree in
 * which one it is, or in the size, are VARVE_MISUSE at the one that sees it. */
VARVE_API const varve_comm *varve_processes_join(varve_processes *processes,
    uint32_t rank, varve_error *error) VARVE_MUST_CHECK;

/* A rank leaves the group, in which no call succeeds from then on that needs
 * it, nor of a duplicate of its communicator (comm.h), which has sockets of its
 * own; what it has sent arrives. */
VARVE_API void varve_processes_free(varve_processes *processes);

VARVE_END_DECLS

#endif
