/* test_edge.c - Tests edges.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <stdlib.h>

#include "edge.h"

static varve_graph *graph;
static varve_node *root;

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
}

static const char *name_of(int i)
{
    static char text[24];
    snprintf(text, sizeof text, "child %d", i);
    return text;
}

TEST(edge, is_found_among_few_and_many)
{
    enum { COUNT = 50 };
    varve_node *nodes[COUNT];
    begin();
    for (int i = 0; i < COUNT; i++) {
        nodes[i] = varve_add_object(root, name_of(i));
        cr_assert_eq(root->has_many_edges, i >= VV_FEW_EDGES);
        for (int k = 0; k < COUNT; k++)
            cr_assert_eq(
                varve_find(root, name_of(k)), k <= i ? nodes[k] : NULL);
    }
    check_links(graph);
    for (int i = 0; i < COUNT; i++) {
        int gone = i * 7 % COUNT;
        varve_untrack(root, name_of(gone));
        nodes[gone] = NULL;
        for (int k = 0; k < COUNT; k++)
            cr_assert_eq(varve_find(root, name_of(k)), nodes[k]);
        check_links(graph);
    }
    cr_assert_eq(graph->edge_set.count, 0);
    varve_node *again = varve_add_object(root, name_of(3));
    cr_assert_eq(varve_find(root, name_of(3)), again);
    free_good(graph);
}

TEST(edge, keeps_creation_order)
{
    begin();
    varve_add_object(root, "z");
    varve_add_object(root, "a");
    varve_add_object(root, "m");
    varve_untrack(root, "a");
    varve_add_object(root, "a");
    const char *wanted[] = { "z", "m", "a" };
    size_t i = 0;
    for (const varve_edge *e = varve_edge_first(root); e;
         e = varve_edge_next(e))
        cr_assert_str_eq(e->name, wanted[i++]);
    cr_assert_eq(i, 3);
    cr_assert_eq(varve_edge_count(root), 3);
    free_good(graph);
}

TEST(edge, can_share_nodes_and_form_cycles)
{
    begin();
    varve_node *a = varve_add_object(root, "a");
    cr_assert_eq(varve_track(root, "b", a), a);
    cr_assert_eq(varve_track(a, "self", a), a);
    cr_assert_eq(varve_track(a, "up", root), root);
    cr_assert_eq(varve_track(root, "b", a), a);
    cr_assert_eq(varve_edge_count(root), 2);
    cr_assert_eq(varve_find_path(root, "b/self/self/up/a"), a);
    check_links(graph);
    free_good(graph);
}

TEST(edge, refuses_another_node_under_a_used_name)
{
    begin();
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_object(root, "b");
    cr_assert(vv_is_nil(varve_track(root, "a", b)));
    cr_assert(vv_is_nil(varve_add_dict(root, "b")));
    cr_assert_eq(varve_find(root, "a"), a);
    cr_assert_eq(node_count(graph), 3);
    free_bad(graph, VARVE_DUPLICATE);
}

TEST(edge, refuses_invalid_names)
{
    char *long_name = malloc(VARVE_MAX_NAME_SIZE + 2);
    memset(long_name, 'x', VARVE_MAX_NAME_SIZE + 1);
    long_name[VARVE_MAX_NAME_SIZE + 1] = '\0';
    const char *bad[] = { "", NULL, long_name, "\xff", "\xc0\x80",
        "\xed\xa0\x80", "a\x80", "\xf4\x90\x80\x80", "\xe2\x82" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin();
        cr_assert(vv_is_nil(varve_add_object(root, bad[i])));
        cr_assert_eq(varve_edge_count(root), 0);
        cr_assert_eq(node_count(graph), 1);
        free_bad(graph, VARVE_BAD_NAME);
    }
    begin();
    long_name[VARVE_MAX_NAME_SIZE] = '\0';
    varve_node *node = varve_add_object(root, long_name);
    cr_assert_eq(varve_find(root, long_name), node);
    varve_add_object(root, "\xf4\x8f\xbf\xbf/%*\n");
    free_good(graph);
    free(long_name);
}

TEST(edge, cannot_be_added_to_a_variable)
{
    float x = 0;
    begin();
    varve_node *leaf = varve_add_variable(root, "x", varve_scalar(&x));
    cr_assert(vv_is_nil(varve_add_object(leaf, "child")));
    cr_assert(vv_is_nil(varve_track(leaf, "child", root)));
    free_bad(graph, VARVE_MISUSE);
}

TEST(edge, without_a_name_is_an_error)
{
    float x = 0;
    begin();
    varve_node *leaf = varve_add_variable(root, "x", varve_scalar(&x));
    cr_assert(vv_is_nil(varve_add_object(leaf, NULL)));
    free_bad(graph, VARVE_MISUSE);
    begin();
    varve_untrack(root, NULL);
    free_bad(graph, VARVE_NOT_FOUND);
}

TEST(edge, must_not_connect_two_graphs)
{
    begin();
    varve_graph *other = new_graph();
    varve_node *foreign = varve_graph_root(other);
    cr_assert(vv_is_nil(varve_track(root, "x", foreign)));
    cr_assert_eq(varve_edge_count(root), 0);
    free_good(other);
    free_bad(graph, VARVE_MISUSE);
}

TEST(edge, to_the_nil_node_of_another_graph_is_an_error)
{
    begin();
    varve_graph *other = new_graph();
    varve_node *nil = varve_add_object(varve_graph_root(other), "");
    cr_assert(vv_is_nil(varve_track(root, "x", nil)));
    free_bad(other, VARVE_BAD_NAME);
    free_bad(graph, VARVE_MISUSE);
}

TEST(edge, is_replaced_at_its_position)
{
    begin();
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_object(root, "b");
    cr_assert_eq(varve_replace(root, "a", a), a);
    cr_assert_eq(varve_replace(root, "a", b), b);
    cr_assert_eq(varve_replace(root, "c", a), a);
    cr_assert_eq(varve_find(root, "a"), b);
    cr_assert_str_eq(varve_edge_first(root)->name, "a");
    cr_assert_eq(varve_edge_count(root), 3);
    check_links(graph);
    cr_assert(vv_is_nil(varve_replace(root, "a", &graph->nil)));
    cr_assert_eq(varve_find(root, "a"), b);
    free_bad(graph, VARVE_MISUSE);
}

TEST(edge, is_kept_if_the_new_node_is_of_another_graph)
{
    begin();
    varve_node *a = varve_add_object(root, "a");
    varve_graph *other = new_graph();
    cr_assert(vv_is_nil(varve_replace(root, "a", varve_graph_root(other))));
    cr_assert_eq(varve_find(root, "a"), a);
    varve_graph_free(other);
    free_bad(graph, VARVE_MISUSE);
}

TEST(edge, is_found_by_an_escaped_path)
{
    begin();
    varve_node *odd = varve_add_object(root, "a/b%(c)*|\n");
    varve_node *below = varve_add_object(odd, "x");
    cr_assert_eq(varve_find_path(root, ""), root);
    cr_assert_eq(
        varve_find_path(root, "a%2Fb%25%28c%29%2A%7C%0A/x"), below);
    cr_assert_eq(varve_find_path(odd, "x"), below);
    static const char *const none[] = { "x", "a", "/", "a%2", "a%zz", "x//y" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_assert_null(varve_find_path(root, none[i]), "%s", none[i]);
    cr_assert_null(varve_find(root, NULL));
    cr_assert_eq(varve_find_path(root, NULL), root);
    free_good(graph);
}

struct listener {
    struct vv_observer base;
    int added, removed;
    varve_node *last_removed;
};

static void heard_added(struct vv_observer *self, struct vv_edge *edge)
{
    cr_assert_not_null(edge->parent);
    ((struct listener *)self)->added++;
}

static void heard_removed(struct vv_observer *self, varve_node *child)
{
    struct listener *l = (struct listener *)self;
    l->removed++;
    l->last_removed = child;
}

static void heard_end(struct vv_observer *self)
{
    (void)self;
}

TEST(edge, notifies_of_added_and_removed_nodes)
{
    struct listener l = { .base = { .edge_added = heard_added,
                              .edge_removed = heard_removed,
                              .graph_freed = heard_end } };
    begin();
    vv_graph_observe(graph, &l.base);
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_detached(graph);
    cr_assert_eq(l.added, 1);
    varve_replace(root, "a", b);
    cr_assert_eq(l.added, 2);
    cr_assert_eq(l.removed, 1);
    cr_assert_eq(l.last_removed, a);
    varve_track(root, "a", b);
    varve_untrack(root, "a");
    cr_assert_eq(l.added, 2);
    cr_assert_eq(l.last_removed, b);
    free_good(graph);
}

TEST(edge, handles_every_failed_allocation)
{
    bool failed = true;
    for (long n = 0; failed; n++) {
        begin();
        test_fail_allocation(n, false);
        for (int i = 0; i < 40; i++)
            varve_add_object(root, name_of(i));
        failed = varve_graph_check(graph, NULL) != VARVE_OK;
        test_fail_allocation(-1, false);
        check_links(graph);
        cr_assert_eq(node_count(graph), varve_edge_count(root) + 1);
        if (failed)
            free_bad(graph, VARVE_NO_MEMORY);
        else
            free_good(graph);
    }
}

static double time_of(int count)
{
    double start = seconds();
    begin();
    for (int i = 0; i < count; i++)
        varve_add_object(root, name_of(i));
    for (int i = 0; i < count; i++)
        cr_assert_not_null(varve_find(root, name_of(i)));
    for (int i = 0; i < count; i += 2)
        varve_untrack(root, name_of(i));
    free_good(graph);
    return seconds() - start;
}

/* Larger graphs are also slower because of cache misses. */
TEST(edge, takes_time_proportional_to_the_children)
{
    double small = time_of(10000);
    double large = time_of(100000);
    for (int i = 0; i < 4; i++) {
        double again = time_of(10000);
        small = again < small ? again : small;
        again = time_of(100000);
        large = again < large ? again : large;
    }
    cr_assert_lt(large, 40 * small, "%g and %g seconds", small, large);
}
