/* test_draft_number.c - Tests the numbering of the nodes of a draft.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "draft_number.h"
#include "drafts.h"

TEST(draft_number, numbers_breadth_first_along_sorted_edges)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t a = vv_draft_node(&t.d, VARVE_OBJECT);
    uint32_t b = vv_draft_node(&t.d, VARVE_OBJECT);
    uint32_t w = add_floats(&t, 0);
    add_edge(&t, a, "z", w);
    add_edge(&t, a, "root", 0);
    add_edge(&t, 0, "bb", a);
    add_edge(&t, 0, "b", b);
    add_edge(&t, 0, "a", a);
    add_edge(&t, b, "y", add_floats(&t, 0));
    check_draft(&t, "0o a>1 b>2 bb>1\n1o root>0 z>3\n2o y>4\n3v\n4v\n");
}

TEST(draft_number, refuses_two_edges_of_one_name)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t a = vv_draft_node(&t.d, VARVE_OBJECT);
    add_edge(&t, 0, "a", a);
    add_edge(&t, a, "twice", a);
    add_edge(&t, a, "once", a);
    add_edge(&t, a, "twice", 0);
    check_failure(&t, VARVE_CORRUPT,
        "file: node 1 has two children named \"twice\"");
}

TEST(draft_number, leaves_out_what_cannot_be_reached)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t lost = vv_draft_node(&t.d, VARVE_OBJECT);
    uint32_t gone = add_floats(&t, 0);
    uint32_t w = add_floats(&t, 4);
    uint32_t m = add_floats(&t, 8);
    add_edge(&t, lost, "gone", gone);
    add_edge(&t, lost, "w", w);
    add_edge(&t, 0, "w", w);
    vv_draft_slot(&t.d, lost, w, "m", 1, m);  /* its owner */
    vv_draft_slot(&t.d, 0, gone, "m", 1, m);  /* its variable */
    vv_draft_tag(&t.d, gone, "tag");
    vv_draft_global(&t.d, gone, "name", 4);
    vv_draft_global(&t.d, w, "name", 4); /* the other one does not exist */
    check_draft(&t, "0o w>1\n1v =name\n");
}

TEST(draft_number, numbers_slot_variables_last_by_owner_variable_and_name)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t v = add_floats(&t, 0);
    uint32_t m = add_floats(&t, 0);
    uint32_t own = add_floats(&t, 0);
    uint32_t a = vv_draft_node(&t.d, VARVE_OBJECT);
    uint32_t w = add_floats(&t, 0);
    add_edge(&t, 0, "a", a);
    add_edge(&t, a, "w", w);
    vv_draft_slot(&t.d, a, w, "v", 1, v);
    vv_draft_slot(&t.d, a, w, "m", 1, m);
    vv_draft_slot(&t.d, 0, w, "z", 1, own);
    check_draft(&t, "0o a>1\n1o w>2\n2v\n3v\n4v\n5v\n0.z(2)>3\n1.m(2)>4\n"
                    "1.v(2)>5\n");
}

TEST(draft_number, refuses_slots_of_other_nodes)
{
    for (int way = 0; way < 5; way++) {
        struct drafted t;
        draft_begin(&t);
        uint32_t o = vv_draft_node(&t.d, VARVE_OBJECT);
        uint32_t w = add_floats(&t, 0);
        uint32_t m = add_floats(&t, 0);
        uint32_t s = vv_draft_node(&t.d, VARVE_STATE);
        vv_draft_state(&t.d, s, 0, NULL);
        add_edge(&t, 0, "o", o);
        add_edge(&t, 0, "w", w);
        add_edge(&t, 0, "s", s);
        vv_draft_slot(&t.d, way == 0 ? w : way == 1 ? s : o,
            way == 2 ? 0 : way == 3 ? s : w, "m", 1, way == 4 ? o : m);
        check_failure(&t, VARVE_CORRUPT,
            "file: slot \"m\": the owner is not an object, or one of the "
            "other nodes is not a variable");
    }
}

TEST(draft_number, refuses_two_slots_of_one_name)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t w = add_floats(&t, 0);
    add_edge(&t, 0, "w", w);
    vv_draft_slot(&t.d, 0, w, "m", 1, add_floats(&t, 0));
    vv_draft_slot(&t.d, 0, w, "m", 1, add_floats(&t, 0));
    check_failure(&t, VARVE_CORRUPT, "file: slot \"m\": an object has two");
}

TEST(draft_number, says_which_nodes_are_kept)
{
    struct drafted t;
    struct vv_draft_numbers n;
    struct vv_index_columns c;
    varve_error error = { 0 };
    draft_begin(&t);
    vv_draft_node(&t.d, VARVE_OBJECT);
    add_edge(&t, 0, "bb", add_floats(&t, 0));
    vv_draft_tag(&t.d, 2, "a");
    vv_index_columns_begin(&c, &t.d.context->allocator);
    cr_assert_ok(vv_draft_number(&n, &t.d, &c, &error), error);
    cr_assert_eq(n.reached, 2);
    cr_assert(n.numbers[0] == 0 && n.numbers[1] == VV_NONE &&
              n.numbers[2] == 1);
    cr_assert(n.order[0] == 0 && n.order[1] == 2);
    cr_assert(n.first_edge[0] == 0 && n.first_edge[1] == 1 &&
              n.first_edge[3] == 1);
    cr_assert_eq(c.names.size, 3);
    cr_assert_eq(memcmp(c.names.data, "abb", 3), 0);
    cr_assert_eq(c.name_ends.size, 8);
    cr_assert_eq(vv_load32(c.name_ends.data), 1);
    vv_index_columns_end(&c);
    vv_draft_numbers_clear(&n);
    vv_draft_clear(&t.d);
    memory_free(t.memory);
}
