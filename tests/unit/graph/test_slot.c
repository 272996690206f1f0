/* test_slot.c - Tests slots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "slot.h"
#include "variable.h"

static varve_graph *graph;
static varve_node *root;
static varve_node *x;
static varve_node *y;
static float memory[2];

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
    x = varve_add_variable(root, "x", varve_array(memory, 2));
    y = varve_add_variable(root, "y", varve_array(memory, 2));
}

static varve_node *add(
    varve_node *owner, varve_node *variable, const char *name)
{
    return varve_add_slot(owner, variable, name, varve_array(memory, 2));
}

TEST(slot, belongs_to_owner_variable_and_name)
{
    begin();
    varve_node *owner = varve_add_object(root, "owner");
    varve_node *made[] = { add(root, x, "m"), add(root, y, "m"),
        add(owner, x, "m"), add(root, x, "v") };
    cr_assert_eq(varve_find_slot(root, x, "m"), made[0]);
    cr_assert_eq(varve_find_slot(root, y, "m"), made[1]);
    cr_assert_eq(varve_find_slot(owner, x, "m"), made[2]);
    cr_assert_eq(varve_find_slot(root, x, "v"), made[3]);
    cr_assert_null(varve_find_slot(owner, y, "m"));
    cr_assert_null(varve_find_slot(root, x, "unknown"));
    cr_assert_null(varve_find_slot(root, x, NULL));
    cr_assert_eq(varve_edge_count(root), 3);
    cr_assert_eq(varve_node_kind(made[0]), VARVE_VARIABLE);
    cr_assert_eq(varve_data(made[0]), memory);
    free_good(graph);
}

TEST(slot, is_listed_in_creation_order)
{
    begin();
    const char *names[] = { "z", "a", "m" };
    for (int i = 0; i < 3; i++)
        add(root, i % 2 ? x : y, names[i]);
    int i = 0;
    for (const varve_slot *s = varve_slot_first(root); s;
         s = varve_slot_next(s), i++) {
        cr_assert_str_eq(s->name, names[i]);
        cr_assert_eq(s->variable, i % 2 ? x : y);
        cr_assert_eq(s->node, varve_find_slot(root, s->variable, s->name));
    }
    cr_assert_eq(i, 3);
    free_good(graph);
}

TEST(slot, that_already_exists_is_an_error)
{
    begin();
    varve_node *m = add(root, x, "m");
    size_t count = node_count(graph);
    cr_assert(vv_is_nil(add(root, x, "m")));
    cr_assert_eq(varve_find_slot(root, x, "m"), m);
    cr_assert_eq(node_count(graph), count);
    free_bad(graph, VARVE_DUPLICATE);
}

/* The other graph reports the error. */
TEST(slot, can_be_removed_from_either_end_and_the_middle)
{
    for (int order = 0; order < 6; order++) {
        static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 },
            { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
        static const char *const names[] = { "a", "b", "c" };
        begin();
        for (int i = 0; i < 3; i++)
            add(root, x, names[i]);
        size_t left = 3;
        for (int i = 0; i < 3; i++) {
            const char *gone = names[orders[order][i]];
            varve_node *node = varve_find_slot(root, x, gone);
            vv_slot_remove(vv_slot_find(root, x,
                vv_names_find(&graph->names, gone, 1)));
            cr_assert_null(varve_find_slot(root, x, gone));
            cr_assert_null(vv_as_slot(node));
            left--;
            size_t count = 0;
            for (const varve_slot *s = varve_slot_first(root); s;
                 s = varve_slot_next(s))
                count++;
            cr_assert_eq(count, left);
            count = 0;
            for (struct vv_slot *s = vv_first_slot_for(x); s;
                 s = s->next_on)
                count++;
            cr_assert_eq(count, left);
        }
        free_good(graph);
    }
}
