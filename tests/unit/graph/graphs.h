/* graphs.h - Provides what the tests of the graph share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_GRAPHS_H
#define UNIT_GRAPHS_H

#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "edge.h"
#include "graph.h"
#include "node.h"

static inline varve_graph *new_graph(void)
{
    return varve_graph_new(test_allocator());
}

/* Frees a graph and asserts that it has no error. */
static inline void free_good(varve_graph *graph)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_graph_free(graph);
}

/* Frees a graph and asserts its first error. */
static inline void free_bad(varve_graph *graph, varve_status wanted)
{
    varve_error error = { 0 };
    varve_status status = varve_graph_check(graph, &error);
    cr_assert_eq(status, wanted, "%s: %s", varve_status_name(status),
        error.message);
    cr_assert_eq(error.status, wanted);
    cr_assert(error.message[0] && !strchr(error.message, '\n'));
    varve_graph_free(graph);
}

/* Returns the processor time of this process. */
static inline double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Checks the invariants of node.h for every node of the graph. */
static inline void check_links(varve_graph *graph)
{
    for (varve_node *node = vv_newest_node(graph); node;
         node = vv_older_node(node)) {
        size_t count = 0;
        const struct vv_edge *last = NULL;
        for (struct vv_edge *e = vv_first_edge(node); e; e = vv_next_edge(e)) {
            cr_assert_eq(e->parent, node);
            cr_assert_eq(vv_previous_edge(e), last);
            cr_assert_eq(varve_find(node, e->public.name), e->public.node);
            last = e;
            count++;
        }
        cr_assert_eq(vv_last_edge_as_is(node), last);
        cr_assert_eq(node->edge_count, count);
        last = NULL;
        for (struct vv_edge *e = vv_first_in(node); e; e = vv_next_in(e)) {
            cr_assert_eq(e->public.node, node);
            cr_assert_eq(vv_previous_in(e), last);
            last = e;
        }
        cr_assert(!node->is_listed);
    }
}

static inline size_t node_count(const varve_graph *graph)
{
    size_t count = 0;
    for (varve_node *node = vv_newest_node(graph); node;
         node = vv_older_node(node))
        count++;
    return count;
}

#endif
