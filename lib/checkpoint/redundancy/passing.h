/* passing.h - bytes from one rank to another, by the communicator's own way or
 * through what all have.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PASSING_H
#define VV_PASSING_H

#include <varve/comm.h>
#include <varve/error.h>

#include "redundancy_group.h"

/* A shift, called by all. Where the communicator has none, every rank gets the
 * bytes of all: then it may be out of memory, as all are told. */
varve_status vv_pass(const varve_comm *comm, const varve_allocator *allocator,
    const varve_shift *shift, varve_error *error);

/* The next of a group, and the one before. */
uint32_t vv_member_after(
    const struct vv_redundancy_group *group, uint32_t index);
uint32_t vv_member_before(
    const struct vv_redundancy_group *group, uint32_t index);

/* Sets `all` at each member of each group to `size` bytes of each of its
 * members, by index; those of this rank are there already. */
varve_status vv_pass_around(const varve_comm *comm,
    const varve_allocator *allocator, const struct vv_redundancy_group *group,
    void *all, size_t size, varve_error *error);

#endif
