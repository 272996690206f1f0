/* private_parts.h - Gathers a save plan for each rank-local subtree
 * (varve/rank_local.h) of this process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PRIVATE_PARTS_H
#define VV_PRIVATE_PARTS_H

#include <varve/comm.h>

#include "save_plan.h"

struct vv_private_part {
    /* to read */
    uint32_t place; /* number of the rank-local node in the save plan of all
                       ranks */
    struct vv_save_plan save_plan;
    /* to fill in: by the share */
    uint64_t begin; /* the values are at this distance after their own
                       offsets in the region */
};

struct vv_private_parts {
    /* to read */
    struct vv_private_part *all; /* in the order of `place` */
    size_t count;
    /* own */
    const varve_allocator *allocator;
    size_t room;
};

/* Gathers the rank-local subtrees of a save plan, which was gathered from
 * `root` with slices. Returns VARVE_MISUSE if an edge or slot leads into or out
 * of a subtree other than through its rank-local node, or if a rank-local node
 * belongs to another communicator. On failure there is nothing to clear. */
varve_status vv_private_parts_gather(struct vv_private_parts *parts,
    varve_node *root, const struct vv_save_plan *save_plan,
    const varve_comm *comm, varve_error *error);

/* Computes the digests of the subtrees (recall.h), without accessing the graph.
 * May return VARVE_NO_MEMORY. */
varve_status vv_private_parts_digest(
    struct vv_private_parts *parts, varve_error *error);
void vv_private_parts_clear(struct vv_private_parts *parts);

#endif
