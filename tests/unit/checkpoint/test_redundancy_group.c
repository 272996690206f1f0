/* test_redundancy_group.c - Tests the assignment of ranks to redundancy groups.
 *
 * SPDX-License-Identifier: MIT
 */
#include "redundancy_world.h"

#include "redundancy_group.h"

enum { MANY = 64 };

static varve_status group_of(struct vv_redundancy_group *group,
    const uint32_t *domains, uint32_t rank, uint32_t size, uint32_t group_size,
    varve_error *error)
{
    const uint32_t rank_and_size[] = { rank, size };
    return vv_redundancy_group_of(group, domains, rank_and_size, group_size,
        test_allocator(), error);
}

/* Checks the groups of all ranks: each contains its rank, is the same for all
 * its members, and has no two ranks of one node. */
static void check_groups(
    const uint32_t *domains, uint32_t size, uint32_t group_size)
{
    varve_error error = { 0 };
    struct vv_redundancy_group one, other;
    for (uint32_t rank = 0; rank < size; rank++) {
        cr_assert_ok(
            group_of(&one, domains, rank, size, group_size, &error), error);
        cr_assert(one.count >= 2 && one.count <= one.most);
        cr_assert(one.most < 2 * group_size, "%u of %u", one.most, group_size);
        cr_assert_eq(one.ranks[one.index], rank);
        for (uint32_t i = 0; i < one.count; i++) {
            cr_assert_ok(group_of(&other, domains, one.ranks[i], size,
                             group_size, &error),
                error);
            cr_assert_eq(other.count, one.count);
            cr_assert_eq(other.most, one.most);
            cr_assert_eq(other.index, i);
            cr_assert(memcmp(other.ranks, one.ranks,
                          one.count * sizeof *one.ranks) == 0);
            for (uint32_t j = 0; j < i; j++)
                cr_assert_neq(
                    domains[one.ranks[i]], domains[one.ranks[j]]);
        }
    }
}

TEST(redundancy_group, has_the_requested_size_if_ranks_divide_evenly)
{
    uint32_t domains[MANY];
    struct vv_redundancy_group group;
    for (uint32_t i = 0; i < MANY; i++)
        domains[i] = i / 4; /* 16 nodes of 4 ranks */
    for (uint32_t rank = 0; rank < MANY; rank++) {
        cr_assert_eq(
            group_of(&group, domains, rank, MANY, 8, NULL), VARVE_OK);
        cr_assert(group.count == 8 && group.most == 8);
    }
    check_groups(domains, MANY, 8);
}

/* Consecutive nodes are in different groups. */
TEST(redundancy_group, consists_of_nonconsecutive_nodes)
{
    uint32_t domains[MANY];
    struct vv_redundancy_group group;
    for (uint32_t i = 0; i < 8; i++)
        domains[i] = i;
    cr_assert_eq(group_of(&group, domains, 2, 8, 4, NULL), VARVE_OK);
    for (uint32_t i = 0; i < 4; i++)
        cr_assert_eq(group.ranks[i], 2 * i);
}

TEST(redundancy_group, never_has_two_ranks_of_one_node)
{
    uint32_t domains[MANY];
    uint64_t random = proof_seed(), tried = 0;
    for (uint64_t i = 0; i < proof_size(300, 20000); i++) {
        uint32_t size = 2 + (uint32_t)(proof_next(&random) % (MANY - 1));
        uint32_t nodes = 2 + (uint32_t)(proof_next(&random) % size), most = 0;
        uint32_t counts[MANY + 2] = { 0 };
        for (uint32_t rank = 0; rank < size; rank++) {
            domains[rank] = (uint32_t)(proof_next(&random) % nodes);
            uint32_t count = ++counts[domains[rank]];
            most = count > most ? count : most;
        }
        if (most > size / 2)
            continue;
        check_groups(domains, size, 2 + (uint32_t)(proof_next(&random) % 31));
        tried++;
    }
    proof_count("redundancy.groups", tried);
}

TEST(redundancy_group, is_refused_if_one_node_has_most_ranks)
{
    const uint32_t domains[] = { 5, 5, 5, 6, 7 };
    struct vv_redundancy_group group;
    varve_error error = { 0 };
    cr_assert_eq(
        group_of(&group, domains, 0, 5, 4, &error), VARVE_MISUSE);
    cr_assert_str_eq(error.message,
        "redundancy: a node may run at most half of the 5 ranks, but 3 run "
        "on node 5");
    cr_assert_eq(group_of(&group, domains, 0, 1, 4, NULL), VARVE_MISUSE);
}

TEST(redundancy_group, reports_failed_allocations)
{
    const uint32_t domains[] = { 0, 1 };
    struct vv_redundancy_group group;
    test_fail_allocation(0, false);
    cr_assert_eq(group_of(&group, domains, 0, 2, 4, NULL), VARVE_NO_MEMORY);
    test_fail_allocation(-1, false);
}
