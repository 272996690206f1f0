/* test_torch_model_torch_edges.c - Tests the edges and roles of nodes of a
 * torch file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "torch_model.h"
#include "torch_made.h"

/* {"a": {"b": 1, "c": 2}, "d": 3} */
static struct made *begin(void)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}(U\1a}(U\1bK\1U\1cK\2uU\1dK\3u.");
    return made_graph(&b);
}

TEST(torch_edges, are_those_of_each_node)
{
    struct made *m = begin();
    struct vv_torch_edges root = vv_torch_edges_of(&m->g, 0);
    cr_assert_eq(root.end - root.at, 2);
    uint32_t a = made_child(m, 0, 'a'), d = made_child(m, 0, 'd');
    struct vv_torch_edges below = vv_torch_edges_of(&m->g, a);
    cr_assert_eq(below.end - below.at, 2);
    struct vv_torch_edges none = vv_torch_edges_of(&m->g, d);
    cr_assert_eq(none.at, none.end);
    cr_assert_null(vv_torch_value_of(&m->g, a));
    cr_assert_eq(vv_torch_value_of(&m->g, d)->dtype, VARVE_INT64);
    made_end(m);
}

static size_t slot_count(struct made *m)
{
    return m->draft.slots.size / sizeof(struct vv_draft_slot);
}

TEST(torch_edges, belong_to_one_variable_only)
{
    struct made *m = begin();
    struct vv_draft_name name = { .bytes = "m", .size = 1 };
    uint32_t a = made_child(m, 0, 'a'), d = made_child(m, 0, 'd');
    uint32_t b = made_child(m, a, 'b'), c = made_child(m, a, 'c');
    vv_torch_add_slot(&m->g, a, d, &name, b);
    cr_assert_eq(slot_count(m), 1);
    vv_torch_add_slot(&m->g, a, d, &name, d); /* of the variable itself */
    vv_torch_add_slot(&m->g, a, d, &name, b); /* which is a slot already */
    vv_torch_add_slot(&m->g, a, c, &name, d); /* which has slots */
    /* for a variable that is a slot */
    vv_torch_add_slot(&m->g, a, b, &name, c);
    vv_torch_add_slot(&m->g, a, d, &name, a); /* without a value */
    name.size = 256;
    vv_torch_add_slot(&m->g, a, d, &name, c); /* with a long name */
    cr_assert_eq(slot_count(m), 1);
    name.size = 1;
    vv_torch_add_slot(&m->g, a, d, &name, c);
    cr_assert_eq(slot_count(m), 2);
    made_end(m);
}
