/* redundancy_group.h - Assigns ranks to redundancy groups. No two members of a
 * group are on the same node. Performs no input or output.
 *
 * Ranks are sorted by node and assigned to the groups in turn. There are so
 * many groups that none gets two ranks of the same node. The sizes of groups
 * differ by at most one. Consecutive nodes, for example of one rack, are in
 * different groups if there are enough groups.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REDUNDANCY_GROUP_H
#define VV_REDUNDANCY_GROUP_H

#include <varve/allocator.h>
#include <varve/error.h>

enum {
    VV_USUAL_GROUP = 8,
    VV_LARGEST_GROUP = 32, /* largest size that an option can set */
    VV_MOST_MEMBERS = 64,  /* largest actual size: less than twice that */
};

struct vv_redundancy_group {
    /* to read */
    uint32_t count; /* at least 2 */
    uint32_t index; /* index of this rank */
    uint32_t most;  /* number of members of the largest group */
    uint32_t ranks[VV_MOST_MEMBERS];
};

/* Computes the group of a rank. `domains` has a number for each of the `size`
 * ranks; ranks with the same number fail together. Returns VARVE_MISUSE if more
 * than half of all ranks are on one node, as some of these would be alone in
 * their groups. */
varve_status vv_redundancy_group_of(struct vv_redundancy_group *group,
    const uint32_t *domains, const uint32_t rank_and_size[2],
    uint32_t group_size, const varve_allocator *allocator, varve_error *error);

#endif
