/* test_matches.c - Tests the tables of bindings between nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "matches.h"

#include "support/test.h"
#include "node.h"

enum { NODES = 4, FILES = 6 };

static varve_node nodes[NODES];

static struct vv_matches begin(void)
{
    struct vv_matches m;
    vv_matches_init(&m, test_allocator());
    cr_assert(vv_matches_begin(&m, FILES));
    for (uint32_t i = 0; i < NODES; i++)
        nodes[i].number = i;
    cr_assert_eq(vv_file_node_of(&m, &nodes[3]), VV_NONE, "without room");
    cr_assert(vv_matches_grow(&m, NODES));
    return m;
}

static void bind(struct vv_matches *m, varve_node *node, uint32_t file)
{
    vv_set_holder(m, file, node);
    cr_assert(vv_matches_bind(m, node, file, VV_BY_PATH));
}

TEST(matches, record_holders_and_claimants)
{
    struct vv_matches m = begin();
    bind(&m, &nodes[0], 2);
    cr_assert(vv_is_holder(&m, &nodes[0], 2) && !vv_is_claimant(&m, &nodes[0]));
    cr_assert(!vv_is_holder(&m, &nodes[0], VV_NONE));
    cr_assert(vv_matches_bind(&m, &nodes[1], 2, VV_BY_ALIAS));
    cr_assert(vv_add_claim(&m, &nodes[1], 2));
    cr_assert(vv_is_claimant(&m, &nodes[1]) &&
              vv_is_bound_or_claims(&m, &nodes[1], 2));
    cr_assert(!vv_is_claimant(&m, &nodes[2]) &&
              !vv_is_bound_or_claims(&m, &nodes[2], 2));
    cr_assert_eq(vv_how_of(&m, &nodes[0]), VV_BY_PATH);
    cr_assert_eq(vv_how_of(&m, &nodes[1]), VV_BY_ALIAS);
    cr_assert_eq(vv_file_node_at(&m, 1), 2u);
    vv_let_go(&m, &nodes[1]);
    cr_assert(vv_is_holder(&m, &nodes[0], 2), "the other has it still");
    cr_assert_eq(vv_how_of(&m, &nodes[1]), VV_BY_PATH);
    vv_matches_forget(&m);
    cr_assert(!m.node_of[2] && m.claims.pairs.size == 0);
    vv_matches_end(&m);
}

TEST(matches, bind_and_unbind_an_object_with_several)
{
    struct vv_matches m = begin();
    bind(&m, &nodes[0], 4);
    for (uint32_t f = 1; f < 3; f++) {
        cr_assert(vv_add_partner(&m, 4, f));
        vv_set_holder(&m, f, &nodes[0]);
    }
    cr_assert_eq(vv_next_partner(&m, &nodes[0], 4), 1u);
    cr_assert_eq(vv_next_partner(&m, &nodes[0], 1), 2u);
    cr_assert_eq(vv_next_partner(&m, &nodes[0], 2), VV_NONE);
    cr_assert_eq(vv_next_partner(&m, &nodes[1], 4), VV_NONE, "not its own");
    vv_let_go(&m, &nodes[0]);
    for (uint32_t f = 0; f < FILES; f++)
        cr_assert_null(m.node_of[f]);
    bind(&m, &nodes[1], 4);
    cr_assert_eq(vv_next_partner(&m, &nodes[1], 4), VV_NONE);
    vv_matches_end(&m);
}

TEST(matches, are_unchanged_without_memory)
{
    struct vv_matches m;
    vv_matches_init(&m, test_allocator());
    test_fail_allocation(0, true);
    cr_assert_not(vv_matches_begin(&m, FILES));
    vv_matches_end(&m);
    test_fail_allocation(-1, false);
    m = begin();
    bind(&m, &nodes[0], 1);
    test_fail_allocation(0, true);
    cr_assert_not(vv_matches_grow(&m, 100));
    cr_assert_not(vv_set_how(&m, &nodes[0], VV_BY_ALIAS));
    cr_assert_not(vv_add_partner(&m, 1, 2));
    cr_assert_not(vv_add_claim(&m, &nodes[1], 1));
    test_fail_allocation(-1, false);
    cr_assert(vv_is_holder(&m, &nodes[0], 1));
    cr_assert_eq(vv_next_partner(&m, &nodes[0], 1), VV_NONE);
    cr_assert_eq(m.capacity, (size_t)NODES);
    vv_matches_end(&m);
}
