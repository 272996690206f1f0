/* comm_collectives.h - what processes that save or restore together tell each
 * other: the same status and message everywhere, bytes from one to all, and
 * from all to one.
 *
 * Each of these is called by all processes, whatever went wrong in one of them:
 * nobody takes another way because its own memory or disk failed. Rank 0 is
 * where things are gathered and decided.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_AGREEMENT_H
#define VV_AGREEMENT_H

#include <varve/comm.h>
#include <varve/error.h>

#include "buffer.h"

/* VARVE_MISUSE for one that cannot be. */
varve_status vv_check_comm(const varve_comm *comm, varve_error *error);

/* What a call of the communicator failed with. */
varve_status vv_fail_gone(
    const varve_comm *comm, varve_status status, varve_error *error);

/* VARVE_OK where all processes come with that. Else all get the status of the
 * lowest rank that does not, and its message, which names the rank.
 * VARVE_DISCONNECTED where a process is gone. */
varve_status vv_agree(
    const varve_comm *comm, varve_status status, varve_error *error);

/* Sets a number everywhere to the largest that any process has. */
varve_status vv_comm_allreduce_max(
    const varve_comm *comm, uint64_t *number, varve_error *error);

/* Sets a number everywhere to what it is at rank 0. */
varve_status vv_tell_number(
    const varve_comm *comm, uint64_t *number, varve_error *error);

/* The same with bytes, of which all have room for as many. */
varve_status vv_comm_bcast(
    const varve_comm *comm, void *bytes, size_t size, varve_error *error);

/* Sets `bytes` everywhere to what they are at rank 0, which comes with
 * `status`; where that is a failure, it is the failure of all. */
varve_status vv_comm_bcast_buffer(const varve_comm *comm, varve_status status,
    struct vv_buffer *bytes, varve_error *error);

/* Numbers of all processes at rank 0: `count` of each, by rank. `all` is NULL
 * elsewhere. */
varve_status vv_comm_gather_u64(const varve_comm *comm, const uint64_t *mine,
    size_t count, uint64_t *all, varve_error *error);

/* The bytes of all processes, as many of each, in the order of ranks at every
 * one of them, which has room for them in `all`. */
varve_status vv_comm_allgather(const varve_comm *comm, const void *bytes,
    size_t size, void *all, varve_error *error);

/* The bytes of all processes at rank 0. */
struct vv_gathered {
    /* to read; elsewhere than at rank 0 there is nothing */
    struct vv_buffer bytes; /* those of rank 0, then those of rank 1, ... */
    uint64_t *sizes;        /* by rank */
    /* own */
    uint32_t count;
};

/* Gathers what each process has, which comes with its own `status`: one that
 * failed gives nothing, and its failure is that of all. On failure there is
 * nothing to clear. */
varve_status vv_comm_gatherv(const varve_comm *comm, varve_status status,
    const struct vv_buffer *bytes, struct vv_gathered *all, varve_error *error);
void vv_gathered_clear(struct vv_gathered *all);

#endif
