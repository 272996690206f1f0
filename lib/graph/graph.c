/* graph.c - Creates and frees graphs, and manages their error and their
 * observers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "edge.h"
#include "failure.h"
#include "node.h"
#include "try.h"

/* Stand for graphs that could not be allocated, and for the graph of NULL
 * nodes. They are never written to: their errors are set, and nothing can be
 * added to their nil nodes. */
static varve_graph no_graph = {
    .mistake = {
        .status = VARVE_NO_MEMORY,
        .message = "out of memory: making the graph",
    },
    .nil = { .graph = &no_graph, .kind = VARVE_NIL },
    .root = &no_graph.nil,
};
static varve_graph no_node_graph = {
    .mistake = {
        .status = VARVE_MISUSE,
        .message = "node is NULL",
    },
    .nil = { .graph = &no_node_graph, .kind = VARVE_NIL },
    .root = &no_node_graph.nil,
};

/* The first change of a NULL node by this thread, which no graph can record. It
 * is small, because the memory can be part of the thread's stack. */
static _Thread_local struct lost_change {
    const char *what; /* begins the message; NULL: there was none */
    char name[48];    /* quoted after it; "": no name */
} lost_change;

static const char not_made[] =
    "the node could not be created: an earlier error has the reason";

static bool is_writable(const varve_graph *graph)
{
    return graph && graph != &no_graph && graph != &no_node_graph;
}

varve_graph *vv_graph_given(const varve_graph *graph)
{
    return (varve_graph *)(graph ? graph : &no_node_graph);
}

varve_node *vv_or_nil(const varve_node *node)
{
    return (varve_node *)(node ? node : &no_node_graph.nil);
}

varve_status vv_node_check(const varve_node *node, varve_error *error)
{
    node = vv_or_nil(node);
    VV_TRY(varve_graph_check(node->graph, error));
    return vv_is_nil(node) ? vv_fail(error, VARVE_MISUSE, "%s", not_made)
                           : VARVE_OK;
}

varve_graph *vv_graph_new_in(const struct vv_context *context)
{
    varve_graph *graph = vv_allocate_zeroed(&context->allocator, sizeof *graph);
    if (!graph)
        return &no_graph;
    graph->context = *context;
    const varve_allocator *a = &graph->context.allocator;
    graph->nil = (varve_node){ .graph = graph, .kind = VARVE_NIL };
    vv_names_init(&graph->names, a);
    vv_indexed_pool_init(&graph->nodes, a, sizeof(varve_node));
    vv_indexed_pool_init(&graph->edges, a, sizeof(struct vv_edge));
    vv_set_init(&graph->edge_set, a, vv_edge_hash);
    graph->root = vv_node_new(graph, VARVE_OBJECT);
    return graph;
}

void vv_graph_free_spare(varve_graph *graph)
{
    vv_release(&graph->context.allocator, graph->spare_places,
        graph->spare_limit * sizeof *graph->spare_places);
    graph->spare_places = NULL;
    graph->spare_limit = 0;
}

void varve_graph_free(varve_graph *graph)
{
    if (!is_writable(graph))
        return;
    /* observers may still read nodes and names */
    while (graph->newest) {
        struct vv_observer *observer = graph->newest;
        vv_graph_forget(graph, observer);
        observer->graph_freed(observer);
    }
    while (graph->newest_node)
        vv_node_free(vv_newest_node(graph));
    vv_attachments_drop(&graph->nil);
    const varve_allocator a = graph->context.allocator;
    vv_names_clear(&graph->names);
    vv_set_clear(&graph->edge_set);
    vv_graph_free_spare(graph);
    vv_indexed_pool_clear(&graph->nodes);
    vv_indexed_pool_clear(&graph->edges);
    vv_release(&a, graph, sizeof *graph);
}

static varve_status graph_fail_lost(varve_error *error)
{
    const char *name = lost_change.name, *quote = *name ? "\"" : "";
    return vv_fail(error, VARVE_MISUSE,
        "%s%s%s%s%s: the node is NULL: use the node that an add function has "
        "returned, or check the result of varve_find",
        lost_change.what, *name ? " " : "", quote, name, quote);
}

varve_status varve_graph_check(const varve_graph *graph, varve_error *error)
{
    graph = vv_graph_given(graph);
    if (graph->mistake.status) {
        if (error)
            *error = graph->mistake;
        return graph->mistake.status;
    }
    if (lost_change.what)
        return graph_fail_lost(error);
    const struct vv_observer *o = graph->checking ? graph->newest : NULL;
    for (; o; o = o->older) {
        varve_status status = o->check ? o->check(o, error) : VARVE_OK;
        if (status)
            return status;
    }
    return VARVE_OK;
}

varve_status varve_graph_clear_error(varve_graph *graph, varve_error *error)
{
    graph = vv_graph_given(graph);
    varve_status status = graph->mistake.status;
    if (status && error)
        *error = graph->mistake;
    if (lost_change.what && (!status || graph == &no_node_graph)) {
        status = graph_fail_lost(error);
        lost_change.what = NULL;
        return status;
    }
    if (status && is_writable(graph) && vv_attachments_mend(graph) &&
        !vv_is_nil(graph->root))
        graph->mistake.status = VARVE_OK;
    return status;
}

varve_status vv_graph_take_error(varve_graph *graph, varve_error *error)
{
    varve_status status = graph->mistake.status;
    if (status && error)
        *error = graph->mistake;
    graph->mistake.status = VARVE_OK;
    return status;
}

void vv_graph_set_root(varve_graph *graph, varve_node *root)
{
    varve_node *older = graph->root;
    graph->root = root;
    graph->path_changes++;
    vv_node_free(older);
}

varve_node *varve_graph_root(varve_graph *graph)
{
    return vv_graph_given(graph)->root;
}

void vv_graph_be_quiet(varve_graph *graph, bool is_quiet)
{
    graph->is_quiet = is_quiet;
}

struct vv_observer *vv_graph_listener(const varve_graph *graph)
{
    return graph->is_quiet ? NULL : graph->newest;
}

enum vv_hold vv_graph_hold(varve_graph *graph, enum vv_hold hold)
{
    enum vv_hold older = graph->held;
    if (hold > older)
        graph->held = (uint8_t)hold;
    return older;
}

void vv_graph_let_go(varve_graph *graph, enum vv_hold older)
{
    if (graph->held != older)
        graph->held = (uint8_t)older;
}

bool vv_graph_may_change(const varve_node *node, enum vv_hold held)
{
    char text[256];
    if (node->graph->held < held)
        return true;
    vv_graph_error(node->graph, VARVE_MISUSE,
        "%s: a callback of the library may not %s",
        vv_node_text(node, text, sizeof text),
        held == VV_HOLDS_NODES   ? "remove or retype a node"
        : held == VV_HOLDS_EDGES ? "remove an edge"
                                 : "change the graph");
    return false;
}

void vv_graph_values_change(varve_graph *graph)
{
    struct vv_observer *o = graph->watching_values ? graph->newest : NULL;
    for (; o; o = o->older) {
        if (o->values_change)
            o->values_change(o);
    }
}

void varve_set_seed(varve_graph *graph, uint64_t seed)
{
    if (is_writable(graph))
        graph->seed = seed;
}

uint64_t vv_graph_seed(const varve_graph *graph)
{
    return graph->seed;
}

varve_node *vv_graph_error(
    varve_graph *graph, varve_status status, const char *format, ...)
{
    if (graph->mistake.status == VARVE_OK) {
        va_list arguments;
        va_start(arguments, format);
        graph->mistake.status = status;
        vsnprintf(graph->mistake.message, sizeof graph->mistake.message, format,
            arguments);
        va_end(arguments);
    }
    return &graph->nil;
}

varve_node *vv_graph_memory_error(varve_graph *graph)
{
    return vv_graph_error(
        graph, VARVE_NO_MEMORY, "out of memory: building the graph");
}

void vv_graph_note_lost(
    const varve_graph *graph, const char *what, const char *name)
{
    if (graph != &no_node_graph || lost_change.what)
        return;
    lost_change.what = what;
    snprintf(lost_change.name, sizeof lost_change.name, "%s", name ? name : "");
}

varve_node *vv_graph_nil_error(varve_graph *graph)
{
    return vv_graph_error(graph, VARVE_MISUSE, "%s", not_made);
}

void vv_graph_observe(varve_graph *graph, struct vv_observer *observer)
{
    assert(is_writable(graph) && observer->graph_freed);
    observer->number = ++graph->observer_count;
    graph->checking += observer->check != NULL;
    graph->watching_values += observer->values_change != NULL;
    observer->newer = NULL;
    observer->older = graph->newest;
    if (graph->newest)
        graph->newest->newer = observer;
    graph->newest = observer;
}

struct vv_observer *vv_graph_observer(
    const varve_graph *graph, void (*graph_freed)(struct vv_observer *self))
{
    struct vv_observer *o = graph->newest;
    while (o && o->graph_freed != graph_freed)
        o = o->older;
    return o;
}

void vv_graph_forget(varve_graph *graph, struct vv_observer *observer)
{
    graph->checking -= observer->check != NULL;
    graph->watching_values -= observer->values_change != NULL;
    if (observer->newer)
        observer->newer->older = observer->older;
    else
        graph->newest = observer->older;
    if (observer->older)
        observer->older->newer = observer->newer;
    observer->newer = observer->older = NULL;
}
