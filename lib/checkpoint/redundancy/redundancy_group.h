/* redundancy_group.h - which ranks keep what belongs to each other: no two of
 * them on one machine. Pure.
 *
 * Ranks in the order of their machines are dealt round like cards, to so many
 * groups that none gets two of one machine. So groups are as even as can be,
 * and machines that follow each other, as in one rack, are in other groups
 * where there are enough of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REDUNDANCY_GROUP_H
#define VV_REDUNDANCY_GROUP_H

#include <varve/allocator.h>
#include <varve/error.h>

enum {
    VV_USUAL_GROUP = 8,
    VV_LARGEST_GROUP = 32, /* that may be asked for */
    VV_MOST_MEMBERS = 64,  /* of an uneven one: less than twice as many */
};

struct vv_redundancy_group {
    /* to read */
    uint32_t count; /* at least 2 */
    uint32_t index; /* of this rank */
    uint32_t most;  /* members of the largest group of all */
    uint32_t ranks[VV_MOST_MEMBERS];
};

/* The group of a rank, of `size` ranks of which each has the number of what
 * fails together in `domains`. VARVE_MISUSE where more than half of all are on
 * one machine: some would have no one. */
varve_status vv_redundancy_group_of(struct vv_redundancy_group *group,
    const uint32_t *domains, const uint32_t rank_and_size[2],
    uint32_t group_size, const varve_allocator *allocator, varve_error *error);

#endif
