/* test_read_all_portion.c - Tests the division of verification among the ranks
 * of a node.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "read_all.h"
#include "support/thread_comm.h"

enum { RANKS = 5 };

struct group {
    struct vv_division divisions[RANKS];
    varve_status statuses[RANKS];
    varve_error errors[RANKS];
};

static void find(const varve_comm *comm, void *user)
{
    struct group *g = user;
    uint32_t i = comm->rank;
    g->statuses[i] = vv_portion_find(
        comm, test_allocator(), &g->divisions[i], &g->errors[i]);
}

static void set_all(struct group *g, uint64_t whole, uint64_t common)
{
    *g = (struct group){ .statuses = { VARVE_OK } };
    for (int i = 0; i < RANKS; i++) {
        g->divisions[i].numbers[VV_NEEDS_WHOLE] = whole;
        g->divisions[i].numbers[VV_NEEDS_COMMON] = common;
    }
}

static void check_parts(
    const struct group *g, enum vv_need need, uint32_t share)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        uint32_t first = i / share * share;
        uint32_t parts = RANKS - first < share ? RANKS - first : share;
        cr_assert_ok(g->statuses[i], g->errors[i]);
        cr_assert_eq(g->divisions[i].need, need);
        cr_assert_eq(g->divisions[i].at, i - first);
        cr_assert_eq(g->divisions[i].parts, parts);
    }
}

TEST(portion, divides_shared_values_among_ranks_of_a_node)
{
    static struct group g;
    for (uint32_t share = 1; share <= RANKS; share++) {
        set_all(&g, UINT64_MAX, 1);
        thread_comm_run(RANKS, share, -1, find, &g);
        check_parts(&g, VV_NEEDS_WHOLE, share);
    }
}

TEST(portion, divides_less_if_one_rank_needs_other_values)
{
    static struct group g;
    for (int other = 0; other < RANKS; other++) {
        set_all(&g, 5, 3);
        g.divisions[other].numbers[VV_NEEDS_WHOLE] = other % 2 ? 4 : 6;
        thread_comm_run(RANKS, RANKS, -1, find, &g);
        check_parts(&g, VV_NEEDS_COMMON, RANKS);
    }
}

/* The last of five ranks is alone on its node. */
TEST(portion, divides_nothing_if_ranks_of_a_node_need_other_values)
{
    static struct group g;
    for (uint32_t share = 0; share <= 2; share += 2) {
        set_all(&g, 5, 3);
        g.divisions[3].numbers[VV_NEEDS_WHOLE] = 0;
        g.divisions[3].numbers[VV_NEEDS_COMMON] = 0;
        thread_comm_run(RANKS, share, -1, find, &g);
        for (int i = 0; i < RANKS; i++) {
            bool is_divided = share == 2 && (i < 2 || i == 4);
            cr_assert_ok(g.statuses[i], g.errors[i]);
            cr_assert_eq(
                g.divisions[i].need, is_divided ? VV_NEEDS_WHOLE : VV_NEEDS);
        }
    }
}

TEST(portion, divides_nothing_if_nothing_is_needed)
{
    static struct group g;
    set_all(&g, 0, 0);
    cr_assert_eq(thread_comm_run(RANKS, 0, -1, find, &g), RANKS);
    for (int i = 0; i < RANKS; i++) {
        cr_assert_ok(g.statuses[i], g.errors[i]);
        cr_assert_eq(g.divisions[i].need, VV_NEEDS);
    }
}

TEST(portion, fails_on_all_without_memory_or_after_a_lost_rank)
{
    static struct group g;
    bool has_failed = true;
    set_all(&g, 5, 3);
    long calls = thread_comm_run(RANKS, 0, -1, find, &g);
    for (long i = 0; i < calls; i++) {
        set_all(&g, 5, 3);
        thread_comm_run(RANKS, 0, i, find, &g);
        for (int k = 0; k < RANKS; k++)
            cr_assert_eq(g.statuses[k], VARVE_DISCONNECTED);
    }
    for (long number = 0; has_failed; number++) {
        set_all(&g, 5, 3);
        test_fail_allocation(number, false);
        thread_comm_run(RANKS, 0, -1, find, &g);
        test_fail_allocation(-1, false);
        has_failed = g.statuses[0] != VARVE_OK;
        for (int k = 0; k < RANKS; k++)
            cr_assert_eq(
                g.statuses[k], has_failed ? VARVE_NO_MEMORY : VARVE_OK);
    }
}
