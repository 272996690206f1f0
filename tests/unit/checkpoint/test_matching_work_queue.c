/* test_matching_work_queue.c - Tests the queue of nodes to be matched.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "matching.h"
#include "node.h"

static varve_node nodes[4];

static struct vv_work_queue begin(void)
{
    struct vv_work_queue work_queue;
    vv_work_queue_init(&work_queue, test_allocator());
    for (uint32_t i = 0; i < 4; i++)
        nodes[i].number = i;
    return work_queue;
}

TEST(work_queue, returns_nodes_in_order_without_removed_ones)
{
    struct vv_work_queue a = begin();
    struct vv_pair next;
    vv_work_queue_reserve(&a, 3);
    cr_assert_not(vv_work_queue_is_due(&a));
    for (uint32_t i = 0; i < 3; i++)
        cr_assert(vv_work_queue_add(&a, &nodes[i], i));
    cr_assert(vv_work_queue_is_due(&a));
    cr_assert(vv_work_queue_take(&a, &next) && next.node == &nodes[0]);
    vv_work_queue_forget(&a, &nodes[1]);
    cr_assert(vv_work_queue_add(&a, &nodes[3], VV_VISIT));
    cr_assert(vv_work_queue_take(&a, &next) && next.file == 2);
    cr_assert(vv_work_queue_take(&a, &next) && next.file == VV_VISIT);
    cr_assert_not(vv_work_queue_take(&a, &next));
    cr_assert_not(vv_work_queue_is_due(&a));
    vv_work_queue_shrink(&a);
    cr_assert(vv_work_queue_add(&a, &nodes[2], VV_NONE));
    cr_assert(vv_work_queue_take(&a, &next) && next.node == &nodes[2]);
    vv_work_queue_end(&a);
}

TEST(work_queue, keeps_the_order_of_claims_while_more_are_added)
{
    struct vv_work_queue a = begin();
    struct vv_claim claim;
    cr_assert(vv_work_queue_defer(&a, &nodes[0], 5, VV_BY_ALIAS));
    cr_assert(vv_work_queue_defer(&a, &nodes[1], 6, VV_BY_PATH));
    cr_assert(vv_work_queue_is_due(&a));
    cr_assert(vv_work_queue_claim_at(&a, 0, &claim));
    cr_assert(claim.pair.file == 5 && claim.how == VV_BY_ALIAS);
    vv_work_queue_forget(&a, &nodes[0]);
    cr_assert(vv_work_queue_defer(&a, &nodes[2], 7, VV_BY_RENAME));
    cr_assert(vv_work_queue_claim_at(&a, 0, &claim) && !claim.pair.node);
    cr_assert(vv_work_queue_claim_at(&a, 1, &claim) && claim.pair.file == 6);
    cr_assert(vv_work_queue_claim_at(&a, 2, &claim));
    cr_assert(claim.pair.node == &nodes[2] && claim.how == VV_BY_RENAME);
    cr_assert_not(vv_work_queue_claim_at(&a, 3, &claim));
    vv_work_queue_end_claims(&a);
    cr_assert_not(vv_work_queue_is_due(&a));
    vv_work_queue_end(&a);
}

TEST(work_queue, offers_once_to_each_existing_node)
{
    struct vv_work_queue a = begin();
    size_t place;
    cr_assert(vv_work_queue_add_offer(&a, &nodes[0], 1));
    cr_assert(vv_work_queue_add_offer(&a, &nodes[1], 2));
    cr_assert(vv_work_queue_has_more(&a) && !vv_work_queue_is_due(&a));
    cr_assert(vv_work_queue_take_offer(&a, &place));
    cr_assert_eq(vv_work_queue_offer_at(&a, place).node, &nodes[0]);
    vv_work_queue_forget(&a, &nodes[0]);
    cr_assert_null(vv_work_queue_offer_at(&a, place).node);
    cr_assert(vv_work_queue_take_offer(&a, &place));
    cr_assert_eq(vv_work_queue_offer_at(&a, place).file, 2);
    cr_assert(
        !vv_work_queue_take_offer(&a, &place) && !vv_work_queue_has_more(&a));
    vv_work_queue_end_demands(&a);
    cr_assert(vv_work_queue_add_offer(&a, &nodes[2], 3));
    cr_assert(vv_work_queue_take_offer(&a, &place));
    cr_assert_eq(vv_work_queue_offer_at(&a, place).node, &nodes[2]);
    vv_work_queue_end(&a);
}

TEST(work_queue, keeps_names_until_they_were_searched)
{
    struct vv_work_queue a = begin();
    for (int i = 0; i < 3; i++)
        cr_assert(vv_work_queue_add_unnamed(&a, &nodes[i]));
    vv_work_queue_forget(&a, &nodes[1]);
    cr_assert_eq(vv_work_queue_unnamed_count(&a), 2);
    cr_assert_eq(vv_work_queue_unnamed_at(&a, 1), &nodes[2]);
    cr_assert(vv_work_queue_has_more(&a) && !vv_work_queue_is_due(&a));
    cr_assert(vv_work_queue_defer(&a, &nodes[0], 1, VV_BY_PATH));
    vv_work_queue_forget_graph(&a);
    cr_assert_not(vv_work_queue_has_more(&a));
    vv_work_queue_end(&a);
}

/* A node that does not fit is not queued; a later one may be. */
TEST(work_queue, is_unchanged_without_memory)
{
    struct vv_work_queue a = begin();
    for (int n = 0; n < 2; n++) {
        test_fail_allocation(n, true);
        cr_assert(!vv_work_queue_defer(&a, &nodes[0], 1, VV_BY_ALIAS));
        test_fail_allocation(-1, false);
        cr_assert_not(vv_work_queue_is_due(&a));
    }
    test_fail_allocation(0, true);
    cr_assert(!vv_work_queue_add(&a, &nodes[0], 1));
    cr_assert(!vv_work_queue_add_offer(&a, &nodes[0], 1));
    cr_assert(!vv_work_queue_add_unnamed(&a, &nodes[0]));
    test_fail_allocation(-1, false);
    cr_assert_not(vv_work_queue_has_more(&a));
    cr_assert(vv_work_queue_add(&a, &nodes[0], 1));
    cr_assert(vv_work_queue_is_due(&a));
    vv_work_queue_end(&a);
}
