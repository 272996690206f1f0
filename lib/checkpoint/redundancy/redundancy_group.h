/* redundancy_group.h - Assigns ranks to redundancy groups, and passes bytes
 * from rank to rank within them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REDUNDANCY_GROUP_H
#define VV_REDUNDANCY_GROUP_H

#include <varve/allocator.h>
#include <varve/comm.h>
#include <varve/error.h>

/* --- Groups --------------------------------------------------------------- */

/* Assigns ranks to redundancy groups. No two members of a group are on the same
 * node. Performs no input or output.
 *
 * Ranks are sorted by node and assigned to the groups in turn. There are so
 * many groups that none gets two ranks of the same node. The sizes of groups
 * differ by at most one. Consecutive nodes, for example of one rack, are in
 * different groups if there are enough groups. */

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

/* --- Messages ------------------------------------------------------------- */

/* Sends bytes from one rank to another, by the shift function of the
 * communicator or by collective operations. */

/* Performs a shift. Collective. If the communicator has no shift function, each
 * rank receives the messages of all ranks, and may run out of memory. */
varve_status vv_pass(const varve_comm *comm, const varve_allocator *allocator,
    const varve_shift *shift, varve_error *error);

/* Return the index of the next and of the previous member of a group. */
uint32_t vv_member_after(
    const struct vv_redundancy_group *group, uint32_t index);
uint32_t vv_member_before(
    const struct vv_redundancy_group *group, uint32_t index);

/* Gathers `size` bytes of each member of a group to `all` on each of its
 * members, in the order of their indices. The bytes of this rank must already
 * be there. Collective. */
varve_status vv_pass_around(const varve_comm *comm,
    const varve_allocator *allocator, const struct vv_redundancy_group *group,
    void *all, size_t size, varve_error *error);

#endif
