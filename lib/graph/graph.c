/* graph.c - birth and death of a graph, its first mistake, its observers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "slot.h"
#include "variable.h"

/* Stands for every graph that there was no memory for. Nothing writes to it:
 * its mistake is made, and its nil node takes nothing. */
static varve_graph no_graph = {
    .mistake = {
        .status = VARVE_NO_MEMORY,
        .message = "out of memory: making the graph",
    },
    .nil = { .graph = &no_graph, .kind = VARVE_NIL },
    .root = &no_graph.nil,
};

varve_graph *vv_graph_new_in(const struct vv_context *context)
{
    varve_graph *graph = vv_allocate_zeroed(&context->allocator, sizeof *graph);
    if (!graph)
        return &no_graph;
    graph->context = *context;
    const varve_allocator *a = &graph->context.allocator;
    graph->nil = (varve_node){ .graph = graph, .kind = VARVE_NIL };
    vv_names_init(&graph->names, a);
    vv_pool_init(&graph->nodes, a, sizeof(varve_node));
    vv_pool_init(&graph->edges, a, sizeof(struct vv_edge));
    vv_pool_init(&graph->variables, a, sizeof(struct vv_variable));
    vv_pool_init(&graph->slots, a, sizeof(struct vv_slot));
    vv_map_init(&graph->edge_map, a);
    vv_map_init(&graph->slot_map, a);
    vv_map_init(&graph->global_map, a);
    graph->root = vv_node_new(graph, VARVE_OBJECT);
    return graph;
}

void varve_graph_free(varve_graph *graph)
{
    if (!graph || graph == &no_graph)
        return;
    while (graph->newest) {
        struct vv_observer *observer = graph->newest;
        vv_graph_forget(graph, observer);
        observer->graph_freed(observer);
    }
    while (graph->all)
        vv_node_free(graph->all);
    const varve_allocator a = graph->context.allocator;
    vv_release(&a, graph->free_numbers,
        graph->free_number_capacity * sizeof *graph->free_numbers);
    vv_names_clear(&graph->names);
    vv_map_clear(&graph->edge_map);
    vv_map_clear(&graph->slot_map);
    vv_map_clear(&graph->global_map);
    vv_pool_clear(&graph->nodes);
    vv_pool_clear(&graph->edges);
    vv_pool_clear(&graph->variables);
    vv_pool_clear(&graph->slots);
    vv_release(&a, graph, sizeof *graph);
}

varve_status varve_graph_check(const varve_graph *graph, varve_error *error)
{
    if (graph->mistake.status) {
        if (error)
            *error = graph->mistake;
        return graph->mistake.status;
    }
    for (const struct vv_observer *o = graph->newest; o; o = o->older) {
        varve_status status = o->check ? o->check(o, error) : VARVE_OK;
        if (status)
            return status;
    }
    return VARVE_OK;
}

varve_node *varve_graph_root(varve_graph *graph)
{
    return graph->root;
}

void varve_set_seed(varve_graph *graph, uint64_t seed)
{
    if (graph != &no_graph)
        graph->seed = seed;
}

uint64_t vv_graph_seed(const varve_graph *graph)
{
    return graph->seed;
}

varve_node *vv_mistake(
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

varve_node *vv_memory_mistake(varve_graph *graph)
{
    return vv_mistake(
        graph, VARVE_NO_MEMORY, "out of memory: building the graph");
}

void vv_graph_observe(varve_graph *graph, struct vv_observer *observer)
{
    assert(graph != &no_graph && observer->graph_freed);
    observer->number = ++graph->observer_count;
    observer->newer = NULL;
    observer->older = graph->newest;
    if (graph->newest)
        graph->newest->newer = observer;
    graph->newest = observer;
}

void vv_graph_forget(varve_graph *graph, struct vv_observer *observer)
{
    if (observer->newer)
        observer->newer->older = observer->older;
    else
        graph->newest = observer->older;
    if (observer->older)
        observer->older->newer = observer->newer;
    observer->newer = observer->older = NULL;
}
