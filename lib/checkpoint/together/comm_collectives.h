/* comm_collectives.h - Collective operations for saves and restores by many
 * processes: agreement on errors, broadcast and gather.
 *
 * Each function must be called on all ranks, also after an error on one of
 * them, as the others would wait otherwise. Rank 0 gathers data and makes
 * decisions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_AGREEMENT_H
#define VV_AGREEMENT_H

#include <varve/comm.h>
#include <varve/error.h>

#include "buffer.h"

/* The communicator of one process, which code for one and for many processes
 * uses instead of NULL. Its functions return at once and cannot fail. */
extern const varve_comm vv_comm_alone;

static inline const varve_comm *vv_comm_or_alone(const varve_comm *comm)
{
    return comm ? comm : &vv_comm_alone;
}

/* Returns false for a communicator of the program, even if its size is 1. */
static inline bool vv_is_alone(const varve_comm *comm)
{
    return comm == &vv_comm_alone;
}

/* Returns VARVE_MISUSE if the communicator is invalid. */
varve_status vv_check_comm(const varve_comm *comm, varve_error *error);

/* Sets the error of a failed call of the communicator, and returns `status`. */
varve_status vv_comm_fail(
    const varve_comm *comm, varve_status status, varve_error *error);

/* Returns VARVE_OK on all ranks if all have called it with VARVE_OK. Otherwise
 * all ranks get the status and the message of the lowest rank that failed; the
 * message has the number of that rank. Returns VARVE_DISCONNECTED if a process
 * has ended. With vv_comm_alone it returns `status`. */
varve_status vv_agree(
    const varve_comm *comm, varve_status status, varve_error *error);

/* Sets *number on all ranks to the largest of their values. */
varve_status vv_comm_allreduce_max(
    const varve_comm *comm, uint64_t *number, varve_error *error);

/* Sets *number on all ranks to its value on rank 0. */
varve_status vv_comm_bcast_u64(
    const varve_comm *comm, uint64_t *number, varve_error *error);

/* Sets `bytes` on all ranks to their values on rank 0. `size` must be the same
 * on all. */
varve_status vv_comm_bcast(
    const varve_comm *comm, void *bytes, size_t size, varve_error *error);

/* Sets `bytes` on all ranks to the contents on rank 0. If rank 0 calls it with
 * a failure as `status`, all ranks return that failure. */
varve_status vv_comm_bcast_buffer(const varve_comm *comm, varve_status status,
    struct vv_buffer *bytes, varve_error *error);

/* Gathers `count` numbers of each rank to `all` on rank 0, in the order of
 * ranks. `all` must be NULL on other ranks. */
varve_status vv_comm_gather_u64(const varve_comm *comm, const uint64_t *mine,
    size_t count, uint64_t *all, varve_error *error);

/* Gathers `size` bytes of each rank to `all` on every rank, in the order of
 * ranks. */
varve_status vv_comm_allgather(const varve_comm *comm, const void *bytes,
    size_t size, void *all, varve_error *error);

/* The bytes of all ranks, gathered to rank 0. */
struct vv_gathered {
    /* to read; empty on other ranks than 0 */
    struct vv_buffer bytes; /* those of rank 0, then those of rank 1, ... */
    uint64_t *sizes;        /* number of bytes of each rank */
    /* own */
    uint32_t count;
};

/* Gathers the bytes of all ranks to rank 0. Each rank calls it with its own
 * `status`; if one has failed, all return the failure of the lowest such rank.
 * On failure there is nothing to clear. */
varve_status vv_comm_gatherv(const varve_comm *comm, varve_status status,
    const struct vv_buffer *bytes, struct vv_gathered *all, varve_error *error);
void vv_gathered_clear(struct vv_gathered *all);

#endif
