/* comm.h - Defines a communicator: a table of collective functions of a group
 * of processes.
 *
 * Use the communicator of mpi.h or processes.h, or fill in a table for another
 * transport. Each process fills in its own table.
 *
 * - All ranks call the same functions in the same order, each from one thread
 *   at a time.
 * - A call returns when the part of this rank is done. It may wait for other
 *   ranks.
 * - Sizes are bytes and are not limited to 2 GiB. A size may be 0; then the
 *   buffer may be NULL.
 *
 * The functions return these errors:
 *
 * - VARVE_DISCONNECTED if a process of the group has ended or cannot be
 *   reached.
 * - VARVE_NO_MEMORY if memory allocation fails on this rank, VARVE_TIMEOUT if
 *   its time limit is exceeded.
 *
 * After an error all later calls of all ranks fail too, and no rank waits
 * forever.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_COMM_H
#define VARVE_COMM_H

#include <varve/error.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* A simultaneous send and receive of one rank. If a size is 0, nothing is
 * transferred and the other rank is ignored. */
typedef struct varve_shift {
    const void *out; /* bytes to send; the receiver expects the same number */
    size_t out_size; /* number of bytes to send */
    void *in;        /* buffer for received bytes */
    size_t in_size;  /* number of bytes to receive */
    uint32_t to;     /* rank that receives `out` */
    uint32_t from;   /* rank that sends `in`; may be equal to `to` */
} varve_shift;

/* A communicator. */
typedef struct varve_comm {
    uint32_t rank; /* rank of this process, less than `size` */
    uint32_t size; /* number of processes, at least 1 */
    uint32_t node; /* number of the machine; equal for ranks that share one */
    void *self;    /* first argument of the functions */

    /* Sets *value to the maximum of the values of all ranks (allreduce). */
    varve_status (*agree)(void *self, uint64_t *value);
    /* Copies the bytes of all ranks to `all` of rank 0, in the order of ranks.
     * `size` is the same on all ranks. On other ranks `all` is NULL. */
    varve_status (*gather)(
        void *self, const void *bytes, size_t size, void *all);
    /* Like `gather`, but `size` may differ between ranks (gatherv). `sizes` has
     * the sizes of all ranks on rank 0 and is NULL on other ranks. */
    varve_status (*gather_varied)(void *self, const void *bytes, size_t size,
        void *all, const uint64_t *sizes);
    /* Copies the bytes of rank 0 to all other ranks. */
    varve_status (*broadcast)(void *self, void *bytes, size_t size);
    /* Returns when all ranks have called it. */
    varve_status (*barrier)(void *self);
    /* Creates another communicator of the same ranks. Asynchronous saves
     * (job.h) use it in another thread of each process, while this communicator
     * is in use. Returns VARVE_MISUSE on all ranks if this is not possible.
     * May be NULL. */
    varve_status (*duplicate)(void *self, struct varve_comm **copy);
    /* Frees a copy on this rank, at any time, even if the original has been
     * freed. It is called with `self` of the copy. */
    void (*release)(void *self);
    /* Sends to one rank and receives from another at the same time. All ranks
     * call it, also those that transfer nothing. May be NULL: then functions
     * that need it gather and broadcast instead, which transfers the bytes of
     * all ranks to each rank. */
    varve_status (*shift)(void *self, const varve_shift *shift);
    varve_reserved reserved;
} varve_comm;

VARVE_END_DECLS

#endif
