/* test_node.c - Tests nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <stdlib.h>

#include "slot.h"
#include "variable.h"

static varve_graph *graph;
static varve_node *root;
static float memory[4];

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
}

static varve_node *leaf(varve_node *parent, const char *name)
{
    return varve_add_allocated_variable(
        parent, name, VARVE_FLOAT32, VARVE_SHAPE(4), NULL, NULL);
}

TEST(node, has_the_kind_it_was_created_with)
{
    begin();
    cr_assert_eq(varve_node_kind(varve_add_object(root, "o")), VARVE_OBJECT);
    cr_assert_eq(varve_node_kind(varve_add_list(root, "l")), VARVE_LIST);
    cr_assert_eq(varve_node_kind(varve_add_dict(root, "d")), VARVE_DICT);
    varve_node *detached = varve_add_detached(graph);
    cr_assert_eq(varve_node_kind(detached), VARVE_OBJECT);
    cr_assert_eq(varve_node_graph(detached), graph);
    cr_assert_eq(detached->first_in, 0);
    free_good(graph);
}

TEST(node, releases_its_number)
{
    begin();
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_object(root, "b");
    uint32_t number = a->number;
    cr_assert_neq(number, b->number);
    varve_remove(a);
    cr_assert_eq(varve_add_object(root, "c")->number, number);
    for (int i = 0; i < 1000; i++) {
        varve_node *list = varve_add_list(root, "list");
        for (int k = 0; k < 10; k++)
            varve_add_object(list, VARVE_APPEND);
        varve_remove(list);
    }
    cr_assert_leq(graph->number_limit, 14);
    free_good(graph);
}

TEST(node, has_a_path_text_of_bounded_length)
{
    char text[256];
    begin();
    cr_assert_str_eq(vv_node_text(root, text, sizeof text), "(root)");
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_object(a, "b");
    cr_assert_str_eq(vv_node_text(b, text, sizeof text), "a/b");
    varve_track(root, "later", b);
    cr_assert_str_eq(vv_node_text(b, text, sizeof text), "a/b");
    varve_track(b, "back", root);
    cr_assert_str_eq(vv_node_text(b, text, sizeof text), "a/b");
    cr_assert_str_eq(vv_node_text(root, text, sizeof text), "(root)");
    varve_untrack(b, "back");
    for (size_t size = 8; size < 40; size++) {
        memset(text, 'x', sizeof text);
        varve_node *deep = varve_add_object(b, "some-longer-name");
        const char *found = vv_node_text(deep, text, size);
        cr_assert_geq(found, text);
        cr_assert_lt(found + strlen(found), text + size);
        cr_assert_eq(text[size], 'x');
        cr_assert(strcmp(found, "a/b/some-longer-name") == 0 ||
                  strncmp(found, "...", 3) == 0, "%s", found);
        varve_remove(deep);
    }
    varve_track(b, "circle", a);
    varve_untrack(root, "a");
    varve_untrack(root, "later");
    cr_assert_eq(strncmp(vv_node_text(b, text, sizeof text), "a/b", 3) == 0,
        false);
    free_good(graph);
}

TEST(node, in_a_cycle_with_the_root_has_a_path_text)
{
    char text[256];
    begin();
    varve_node *a = varve_add_object(root, "a");
    varve_node *x = leaf(a, "x");
    varve_track(a, "owner", root);
    cr_assert_str_eq(vv_node_text(root, text, sizeof text), "(root)");
    cr_assert_str_eq(vv_node_text(x, text, sizeof text), "a/x");
    varve_node *m = varve_add_slot(root, x, "m", varve_array(memory, 4));
    cr_assert_str_eq(vv_node_text(m, text, sizeof text), "m(a/x)");
    free_good(graph);
}

TEST(node, that_is_a_slot_has_a_path_text)
{
    char text[256];
    begin();
    varve_node *optimizer = varve_add_object(root, "optimizer");
    varve_node *x = leaf(varve_add_object(root, "model"), "x");
    varve_node *m =
        varve_add_slot(optimizer, x, "m", varve_array(memory, 4));
    cr_assert_str_eq(
        vv_node_text(m, text, sizeof text), "optimizer/m(model/x)");
    varve_node *own = varve_add_slot(root, x, "m", varve_array(memory, 4));
    cr_assert_str_eq(vv_node_text(own, text, sizeof text), "m(model/x)");
    for (size_t size = 8; size < 30; size++) {
        memset(text, 'x', sizeof text);
        const char *found = vv_node_text(m, text, size);
        cr_assert_geq(found, text);
        cr_assert_lt(found + strlen(found), text + size);
        cr_assert_eq(text[size], 'x');
    }
    free_good(graph);
}

static unsigned random_below(unsigned limit)
{
    static uint32_t state = 7;
    state = state * 1664525 + 1013904223;
    return (state >> 8) % limit;
}

/* Returns a random node that is reachable along edges. */
static varve_node *wander(void)
{
    varve_node *node = root;
    for (unsigned steps = random_below(6); steps; steps--) {
        size_t count = varve_edge_count(node);
        if (count == 0)
            break;
        const varve_edge *e = varve_edge_first(node);
        for (unsigned i = random_below((unsigned)count); i; i--)
            e = varve_edge_next(e);
        node = e->node;
    }
    return node;
}

static void change(void)
{
    char name[8];
    varve_node *a = wander();
    varve_node *b = wander();
    snprintf(name, sizeof name, "%u", random_below(12));
    bool leads = varve_node_kind(a) != VARVE_VARIABLE;
    switch (random_below(7)) {
    case 0:
        if (leads && !varve_find(a, name))
            varve_track(a, name, b);
        break;
    case 1:
        if (a != root)
            varve_remove(a);
        break;
    case 2:
        if (leads && varve_node_kind(b) == VARVE_VARIABLE &&
            !vv_as_slot(b) && !varve_find_slot(a, b, name))
            varve_add_slot(a, b, name, varve_array(memory, 4));
        break;
    case 3:
        if (leads && varve_find(a, name))
            varve_untrack(a, name);
        break;
    case 4:
        if (leads && !varve_find(a, name))
            leaf(a, name);
        break;
    default:
        if (leads && !varve_find(a, name))
            varve_add_object(a, name);
        break;
    }
}

TEST(node, keeps_its_links_through_any_change)
{
    begin();
    for (int i = 0; i < 20000; i++) {
        change();
        if (i % 20 == 0)
            check_links(graph);
    }
    free_good(graph);
}

TEST(node, handles_every_failed_allocation)
{
    bool failed = true;
    for (long n = 0; failed; n++) {
        begin();
        test_fail_allocation(n, false);
        varve_node *list = varve_add_list(root, "list");
        for (int i = 0; i < 100; i++)
            leaf(list, VARVE_APPEND);
        varve_alias(list, "old");
        failed = varve_graph_check(graph, NULL) != VARVE_OK;
        varve_remove(list);
        test_fail_allocation(-1, false);
        cr_assert_eq(node_count(graph), 1);
        check_links(graph);
        if (failed)
            free_bad(graph, VARVE_NO_MEMORY);
        else
            free_good(graph);
    }
}
