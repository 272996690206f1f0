/* comm.h - a group of processes that act together, as a table of functions.
 *
 * A communicator is all that calls of many processes know of each other. It may
 * stand on MPI, on sockets, or on whatever a program has; each process fills in
 * a table of its own.
 *
 * All ranks call the same functions in the same order, each from one thread at
 * a time; a call returns once this rank's part is done, and may wait for the
 * others. Sizes are not limited to 2 GiB. A size of 0 is legal, and then the
 * bytes may be NULL.
 *
 * A failure is VARVE_DISCONNECTED: a process of the group is gone or cannot be
 * reached; or, where memory or a limit of time is what this rank lacked,
 * VARVE_NO_MEMORY or VARVE_TIMEOUT. After one every later call of every rank
 * fails too, and none waits for ever.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_COMM_H
#define VARVE_COMM_H

#include <varve/error.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* What one rank sends and receives at the same time. Only the first `out_size`
 * and `in_size` bytes count; of none the other rank does not matter. */
typedef struct varve_shift {
    const void *out; /* goes to another rank, which expects as many */
    size_t out_size;
    void *in; /* comes from another rank, or the same other one */
    size_t in_size;
    uint32_t to;
    uint32_t from;
} varve_shift;

typedef struct varve_comm {
    uint32_t rank; /* of this process, below `size` */
    uint32_t size; /* how many processes there are, at least 1 */
    uint32_t node; /* of ranks that share a machine: the same number */
    void *self;    /* what the functions are handed */

    /* The largest of all values, at every rank. */
    varve_status (*agree)(void *self, uint64_t *value);
    /* Rank 0 gets the bytes of all in the order of ranks; `size` is the same
     * everywhere. Elsewhere `all` is NULL. */
    varve_status (*gather)(
        void *self, const void *bytes, size_t size, void *all);
    /* The same where `size` differs: rank 0 has all `sizes`, elsewhere that is
     * NULL too. */
    varve_status (*gather_varied)(void *self, const void *bytes, size_t size,
        void *all, const uint64_t *sizes);
    /* The bytes of rank 0 go to all others. */
    varve_status (*broadcast)(void *self, void *bytes, size_t size);
    /* Returns when all have come to it. */
    varve_status (*barrier)(void *self);
    /* Another communicator of the same ranks, for another thread of each
     * process, which calls it while this one is in use: saves in the background
     * (job.h) go over one. VARVE_MISUSE at all where threads may not do that.
     * NULL: there is none. */
    varve_status (*duplicate)(void *self, struct varve_comm **copy);
    /* Of a copy: this rank lets go of it, with its own `self`, when it likes;
     * also where what it was made of is gone. */
    void (*release)(void *self);
    /* Each rank sends to one and receives from one, at once; called by all,
     * also by those that do neither. NULL: what needs it gathers and
     * broadcasts, which brings the bytes of all to each. */
    varve_status (*shift)(void *self, const varve_shift *shift);
    varve_reserved reserved;
} varve_comm;

VARVE_END_DECLS

#endif
