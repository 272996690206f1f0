/* test_container.c - Tests lists.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "container.h"

enum { MOST = 40, NODES = 6 };

static varve_graph *graph;
static varve_node *list;
static varve_node *nodes[NODES];

static void begin(void)
{
    graph = new_graph();
    list = varve_add_list(varve_graph_root(graph), "list");
    for (int i = 0; i < NODES; i++)
        nodes[i] = varve_add_detached(graph);
}

static void check_list(varve_node *const *wanted, size_t count)
{
    cr_assert_eq(varve_edge_count(list), count);
    size_t i = 0;
    for (const varve_edge *e = varve_edge_first(list); e;
         e = varve_edge_next(e), i++) {
        cr_assert_eq(strtoul(e->name, NULL, 10), i);
        cr_assert_eq(e->node, wanted[i]);
        cr_assert_eq(varve_list_at(list, i), wanted[i]);
        cr_assert_eq(&vv_list_edge(list, i)->public, e);
    }
    cr_assert_null(varve_list_at(list, count));
    cr_assert_null(vv_list_edge(list, count));
    check_links(graph);
}

TEST(container, appends_at_the_next_index)
{
    begin();
    cr_assert_eq(varve_list_append(list, nodes[0]), nodes[0]);
    varve_node *object = varve_add_object(list, VARVE_APPEND);
    varve_node *named = varve_add_object(list, "2");
    check_list((varve_node *[]){ nodes[0], object, named }, 3);
    free_good(graph);
}

TEST(container, accepts_only_the_next_index_as_a_name)
{
    begin();
    cr_assert_eq(varve_node_kind(varve_add_object(list, "1")), VARVE_NIL);
    check_list(NULL, 0);
    free_bad(graph, VARVE_BAD_NAME);
}

TEST(container, refuses_a_used_index_as_a_duplicate)
{
    begin();
    varve_list_append(list, nodes[0]);
    cr_assert_eq(varve_track(list, "0", nodes[0]), nodes[0]);
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
    cr_assert_eq(varve_node_kind(varve_track(list, "0", nodes[1])), VARVE_NIL);
    check_list(nodes, 1);
    free_bad(graph, VARVE_DUPLICATE);
}

static unsigned random_below(unsigned limit)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return (state >> 8) % limit;
}

/* Applies the same step to the list and to an array. */
static size_t step(varve_node **model, size_t count)
{
    varve_node *node = nodes[random_below(NODES)];
    size_t at = random_below((unsigned)count + 1);
    switch (random_below(count == MOST ? 1 : 5)) {
    case 0:
        if (at == count)
            return count;
        varve_list_remove(list, at);
        memmove(model + at, model + at + 1, (count - at - 1) * sizeof *model);
        return count - 1;
    case 1:
        if (at < count) {
            cr_assert_eq(varve_list_replace(list, at, node), node);
            model[at] = node;
        }
        return count;
    default:
        cr_assert_eq(varve_list_insert(list, at, node), node);
        memmove(model + at + 1, model + at, (count - at) * sizeof *model);
        model[at] = node;
        return count + 1;
    }
}

TEST(container, behaves_like_an_array_with_repeated_children)
{
    varve_node *model[MOST + 1];
    size_t count = 0;
    begin();
    for (int i = 0; i < 2000; i++) {
        count = step(model, count);
        check_list(model, count);
    }
    free_good(graph);
}

/* Applies the same step to the list and to an array, with calls that leave gaps
 * in a list or rename some of its edges. */
static size_t queue_step(varve_node **model, size_t count)
{
    char name[24];
    size_t at = random_below((unsigned)count + 1);
    const varve_edge *edge = varve_edge_first(list);
    snprintf(name, sizeof name, "%zu", at);
    switch (random_below(count == MOST ? 4 : 10)) {
    case 0: edge = NULL; break;
    case 1: at = 0; break;
    case 2: at = count ? count - 1 : 0; break;
    case 3:
        for (size_t i = 0; edge && i < at; i++)
            edge = varve_edge_next(edge);
        cr_assert(edge ? strcmp(edge->name, name) == 0 : at == count);
        return count;
    case 4:
        cr_assert_eq(
            varve_find(list, name), at < count ? model[at] : NULL);
        return count;
    case 5:
        cr_assert_eq(
            varve_list_at(list, at), at < count ? model[at] : NULL);
        return count;
    default:
        model[count] = varve_list_append(list, nodes[random_below(NODES)]);
        return count + 1;
    }
    if (at >= count)
        return count;
    if (edge && at == 0)
        varve_untrack(list, edge->name);
    else
        varve_list_remove(list, at);
    memmove(model + at, model + at + 1, (count - at - 1) * sizeof *model);
    return count - 1;
}

TEST(container, behaves_like_an_array_as_a_queue)
{
    varve_node *model[MOST + 1];
    size_t count = 0;
    begin();
    for (int i = 0; i < 20000; i++) {
        count = queue_step(model, count);
        cr_assert_eq(varve_edge_count(list), count);
        if (random_below(20) == 0)
            check_list(model, count);
    }
    free_good(graph);
}

TEST(container, reorders_repeated_children)
{
    begin();
    varve_node *old[] = { nodes[0], nodes[1], nodes[0], nodes[2] };
    for (int i = 0; i < 4; i++)
        varve_list_append(list, old[i]);
    varve_list_reorder(list, (const size_t[]){ 3, 0, 1, 2 }, 4);
    check_list(
        (varve_node *[]){ nodes[2], nodes[0], nodes[1], nodes[0] }, 4);
    free_good(graph);
}

struct listener {
    struct vv_observer base;
    int moved;
};

static void heard_moved(struct vv_observer *self, varve_node *moved)
{
    cr_assert_eq(moved, list);
    ((struct listener *)self)->moved++;
}

static void heard_end(struct vv_observer *self)
{
    (void)self;
}

TEST(container, notifies_only_of_moved_children)
{
    struct listener l = { .base = { .children_moved = heard_moved,
                              .graph_freed = heard_end } };
    begin();
    vv_graph_observe(graph, &l.base);
    varve_list_append(list, nodes[0]);
    varve_list_insert(list, 1, nodes[1]);
    varve_list_replace(list, 1, nodes[2]);
    cr_assert_eq(l.moved, 0);
    varve_list_insert(list, 1, nodes[1]); /* 0 1 2 */
    cr_assert_eq(l.moved, 1);
    varve_list_remove(list, 2);
    cr_assert_eq(l.moved, 1);
    varve_list_remove(list, 0);
    cr_assert_eq(l.moved, 2);
    varve_list_insert(list, 0, nodes[3]);
    varve_list_reorder(list, (const size_t[]){ 1, 0 }, 2);
    cr_assert_eq(l.moved, 4);
    varve_remove(nodes[1]);
    cr_assert_eq(l.moved, 5);
    check_list((varve_node *[]){ nodes[3] }, 1);
    free_good(graph);
}

TEST(container, refuses_an_invalid_order)
{
    static const struct {
        size_t order[3];
        size_t count;
    } bad[] = { { { 0, 1, 2 }, 2 }, { { 0, 0, 1 }, 3 }, { { 0, 1, 3 }, 3 },
        { { 0 }, 0 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin();
        for (int k = 0; k < 3; k++)
            varve_list_append(list, nodes[k]);
        varve_list_reorder(list, bad[i].order, bad[i].count);
        check_list(nodes, 3);
        free_bad(graph, VARVE_MISUSE);
    }
}

TEST(container, reorders_an_empty_list)
{
    begin();
    varve_list_reorder(list, NULL, 0);
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
    varve_list_reorder(list, (const size_t[]){ 0 }, 1);
    free_bad(graph, VARVE_MISUSE);
}

TEST(container, refuses_indices_past_the_end)
{
    for (int call = 0; call < 3; call++) {
        begin();
        varve_list_append(list, nodes[0]);
        if (call == 0)
            cr_assert(vv_is_nil(varve_list_insert(list, 2, nodes[1])));
        else if (call == 1)
            cr_assert(vv_is_nil(varve_list_replace(list, 1, nodes[1])));
        else
            varve_list_remove(list, 1);
        check_list(nodes, 1);
        free_bad(graph, VARVE_MISUSE);
    }
}

TEST(container, refuses_nodes_that_are_not_lists)
{
    begin();
    varve_node *root = varve_graph_root(graph);
    cr_assert_null(varve_list_at(root, 0));
    cr_assert(vv_is_nil(varve_list_append(root, nodes[0])));
    cr_assert_eq(varve_edge_count(root), 1);
    free_bad(graph, VARVE_MISUSE);
}

TEST(container, refuses_nodes_of_another_graph)
{
    begin();
    varve_graph *other = new_graph();
    cr_assert(vv_is_nil(varve_list_append(list, varve_graph_root(other))));
    check_list(nodes, 0);
    free_good(other);
    free_bad(graph, VARVE_MISUSE);
}

TEST(container, moves_later_children_up_after_untrack)
{
    begin();
    for (int i = 0; i < 4; i++)
        varve_list_append(list, nodes[i % 2]);
    varve_untrack(list, "1");
    check_list((varve_node *[]){ nodes[0], nodes[0], nodes[1] }, 3);
    varve_untrack(list, "2");
    check_list((varve_node *[]){ nodes[0], nodes[0] }, 2);
    varve_untrack(list, "2");
    free_bad(graph, VARVE_NOT_FOUND);
}

TEST(container, removes_every_occurrence_of_a_removed_node)
{
    begin();
    for (int i = 0; i < 9; i++)
        varve_list_append(list, nodes[i % 3]);
    varve_remove(nodes[1]);
    check_list((varve_node *[]){ nodes[0], nodes[2], nodes[0], nodes[2],
        nodes[0], nodes[2] }, 6);
    free_good(graph);
}

TEST(container, handles_every_failed_allocation)
{
    bool failed = true;
    for (long n = 0; failed; n++) {
        begin();
        cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
        test_fail_allocation(n, false);
        for (size_t i = 0; i < 20; i++)
            varve_list_insert(list, i / 2, nodes[i % NODES]);
        size_t order[20];
        for (size_t i = 0; i < 20; i++)
            order[i] = 19 - i;
        varve_list_reorder(list, order, varve_edge_count(list));
        for (size_t i = 0; i < 9 && varve_edge_count(list) > 1; i++) {
            varve_list_remove(list, 0);
            varve_list_append(list, nodes[i % NODES]);
        }
        failed = varve_graph_check(graph, NULL) != VARVE_OK;
        test_fail_allocation(-1, false);
        check_links(graph);
        cr_assert(failed || varve_edge_count(list) == 20);
        if (failed)
            free_bad(graph, VARVE_NO_MEMORY);
        else
            free_good(graph);
    }
}
