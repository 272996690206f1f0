/* test_graph_spread.c - Tests patterns along the edges of a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "edge.h"
#include "graph_spread.h"

static float memory[2];

static varve_status begin(struct vv_spread *s, varve_node *root,
    const char *patterns, varve_error *error)
{
    return vv_graph_spread_begin(
        s, &root->graph->context.allocator, root, patterns, error);
}

static void check(varve_node *root, const char *patterns, varve_node *node,
    bool any, bool all, const char *path)
{
    struct vv_spread s;
    struct vv_buffer text;
    varve_error error = { 0 };
    cr_assert_ok(begin(&s, root, patterns, &error), error);
    cr_assert_eq(vv_spread_has_any(&s, node->number), any, "%s", patterns);
    cr_assert_eq(vv_spread_has_all(&s, node->number), all, "%s", patterns);
    if (any) {
        vv_buffer_init(&text, test_allocator());
        vv_graph_spread_path(
            &s, vv_spread_find(&s, node->number, true), 4095, &text);
        cr_assert_str_eq(vv_buffer_string(&text), path);
        vv_buffer_clear(&text);
    }
    vv_spread_end(&s);
}

TEST(graph_spread, finds_every_path_of_a_shared_node)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *model = varve_add_object(root, "model");
    varve_node *layer = varve_add_object(model, "layer");
    varve_node *w = varve_add_variable(layer, "w", varve_array(memory, 2));
    varve_node *opt = varve_add_object(root, "opt");
    varve_track(opt, "0", w);
    varve_node *m = varve_add_slot(opt, w, "m", varve_array(memory, 2));
    check(root, "model", w, true, false, "model/layer/w");
    check(root, "opt", w, true, false, "opt/0");
    check(root, "opt|model", w, true, true, "opt/0");
    check(root, "other", w, false, false, NULL);
    check(root, "opt/m(model)", m, true, false, "opt/m(model/layer/w)");
    check(root, "opt/m(opt/*)", m, true, false, "opt/m(opt/0)");
    check(root, "**/m(**)", m, true, true, "opt/m(opt/0)");
    check(root, "opt/m(x)", m, false, false, NULL);
    check(root, "opt", m, true, true, "opt/m(opt/0)");
    free_good(graph);
}

TEST(graph_spread, ends_on_cycles_and_diamonds)
{
    enum { DEEP = 1000 };
    struct vv_spread s;
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph), *at = root;
    for (int i = 0; i < DEEP; i++) {
        varve_node *next = varve_add_object(at, "a");
        varve_track(at, "b", next);
        varve_track(next, "up", at);
        at = next;
    }
    cr_assert_eq(
        begin(&s, root, "**/b/a/b/a", NULL), VARVE_OK);
    cr_assert(vv_spread_has_any(&s, at->number));
    cr_assert_not(vv_spread_has_all(&s, at->number));
    cr_assert_lt(s.count, 12u * DEEP);
    vv_spread_end(&s);
    free_good(graph);
}

/* Otherwise the whole graph would be below a layer with an edge to its
 * model. */
TEST(graph_spread, follows_no_edge_back_to_an_ancestor)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *model = varve_add_object(root, "model");
    varve_node *a = varve_add_object(model, "a");
    varve_node *b = varve_add_object(model, "b");
    varve_node *w = varve_add_variable(b, "w", varve_array(memory, 2));
    varve_track(a, "parent", model);
    varve_track(b, "parent", model);
    varve_track(a, "self", a);
    varve_track(b, "top", root);
    check(root, "model/a", w, false, false, NULL);
    check(root, "model/b", w, true, true, "model/b/w");
    check(root, "**/parent", w, false, false, NULL);
    check(root, "**/top", w, false, false, NULL);
    free_good(graph);
}

TEST(graph_spread, continues_with_new_edges_and_slots)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *w = varve_add_variable(root, "w", varve_array(memory, 2));
    varve_node *apart = varve_add_detached(graph);
    struct vv_spread s;
    cr_assert_eq(begin(&s, root, "a|o/m(w)", NULL), VARVE_OK);
    cr_assert_not(vv_spread_has_any(&s, w->number));
    vv_graph_spread_edge(&s, vv_edge_add(apart, "x", w)); /* nothing is added */
    cr_assert_not(vv_spread_has_any(&s, w->number));
    vv_graph_spread_edge(&s, vv_edge_add(root, "a", apart));
    cr_assert(vv_spread_has_any(&s, w->number));
    varve_node *o = varve_add_object(root, "o");
    vv_graph_spread_edge(&s, vv_first_in(o));
    varve_node *m = varve_add_slot(o, w, "m", varve_array(memory, 2));
    vv_graph_spread_slot(&s, vv_slot_first_of(o));
    cr_assert(vv_spread_has_any(&s, m->number));
    vv_spread_end(&s);
    free_good(graph);
}

TEST(graph_spread, fails_without_memory)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(
        varve_add_object(root, "a"), "w", varve_array(memory, 2));
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        struct vv_spread s;
        test_fail_allocation(n, false);
        status = begin(&s, root, "**/w|x", NULL);
        if (status == VARVE_OK)
            vv_spread_end(&s);
        else
            cr_assert_eq(status, VARVE_NO_MEMORY);
    }
    test_fail_allocation(-1, false);
    free_good(graph);
}
