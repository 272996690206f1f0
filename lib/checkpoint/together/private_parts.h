/* private_parts.h - what a process alone has below the private nodes of a graph
 * (varve/rank_local.h): a save plan for each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PRIVATE_PARTS_H
#define VV_PRIVATE_PARTS_H

#include <varve/comm.h>

#include "save_plan.h"

struct vv_private_part {
    /* to read */
    uint32_t place; /* of the private node, in the save plan of all */
    struct vv_save_plan save_plan;
    /* to fill in: by the share */
    uint64_t begin; /* so far behind its own offsets its values lie in the
                       region */
};

struct vv_private_parts {
    /* to read */
    struct vv_private_part *all; /* in order of places */
    size_t count;
    /* own */
    const varve_allocator *allocator;
    size_t room;
};

/* Gathers them for a save plan that was gathered with slices from `root`.
 * VARVE_MISUSE names what leads in or out some other way than by its private
 * node, and a private node of another communicator. On failure there is nothing
 * to clear. */
varve_status vv_private_parts_gather(struct vv_private_parts *parts,
    varve_node *root, const struct vv_save_plan *save_plan,
    const varve_comm *comm, varve_error *error);

/* Sums them, as recall.h does, without a look at the graph. VARVE_NO_MEMORY. */
varve_status vv_private_parts_digest(
    struct vv_private_parts *parts, varve_error *error);
void vv_private_parts_clear(struct vv_private_parts *parts);

#endif
