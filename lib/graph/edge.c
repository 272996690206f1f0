/* edge.c - Adds, finds, replaces and removes edges.
 *
 * SPDX-License-Identifier: MIT
 */
#include "edge.h"

#include <string.h>

#include "buffer.h"
#include "graph.h"
#include "name.h"

struct edge_key {
    const varve_node *parent;
    const struct vv_name *name;
};

static bool is_edge(const void *item, const void *key)
{
    const struct vv_edge *edge = item;
    const struct edge_key *wanted = key;
    return edge->parent == wanted->parent && vv_edge_name(edge) == wanted->name;
}

static uint64_t edge_hash_of(
    const varve_node *parent, const struct vv_name *name)
{
    return vv_map_mix(
        vv_map_mix((uint64_t)(uintptr_t)parent) + (uint64_t)(uintptr_t)name);
}

uint64_t vv_edge_hash(const void *edge)
{
    const struct vv_edge *e = edge;
    return edge_hash_of(e->parent, vv_edge_name(e));
}

static struct vv_edge *edge_find_as_is(
    const varve_node *parent, const struct vv_name *name)
{
    if (parent->has_many_edges) {
        struct edge_key key = { parent, name };
        return vv_set_find(&parent->graph->edge_set, edge_hash_of(parent, name),
            is_edge, &key);
    }
    struct vv_edge *edge = vv_first_edge_as_is(parent);
    while (edge && vv_edge_name(edge) != name)
        edge = vv_next_edge(edge);
    return edge;
}

struct vv_edge *vv_edge_find(
    const varve_node *parent, const struct vv_name *name)
{
    if (parent->is_gapped)
        vv_edge_close_gaps((varve_node *)parent);
    return edge_find_as_is(parent, name);
}

/* --- Gapped lists ------------------------------------------------------- */

/* Returns the number that the name of an edge of a list is. */
static uint64_t edge_number_in_name(const struct vv_edge *edge)
{
    uint64_t number = 0;
    for (const char *at = edge->public.name; *at; at++)
        number = 10 * number + (uint64_t)(*at - '0');
    return number;
}

/* Gives an edge of a gapped list the name of its position. No edge behind it
 * has that name, because names increase by position. */
static void edge_rename(struct vv_edge *edge, uint64_t position)
{
    varve_graph *graph = edge->parent->graph;
    char decimal[24];
    size_t size = vv_decimal(position, decimal);
    const struct vv_name *old = vv_edge_name(edge);
    if (old->size == size && memcmp(old->bytes, decimal, size) == 0)
        return;
    bool is_in_set = edge->parent->has_many_edges;
    if (is_in_set)
        vv_set_remove(&graph->edge_set, edge);
    edge->public.name = vv_names_find(&graph->names, decimal, size)->bytes;
    if (is_in_set)
        vv_set_add(&graph->edge_set, edge); /* there is room for it */
}

void vv_edge_close_gaps(varve_node *list)
{
    uint64_t position = 0;
    list->is_gapped = false;
    for (struct vv_edge *e = vv_first_edge_as_is(list); e; e = vv_next_edge(e))
        edge_rename(e, position++);
}

struct vv_edge *vv_edge_at(const varve_node *list, uint64_t position)
{
    char decimal[24];
    struct vv_edge *first = vv_first_edge_as_is(list);
    if (position >= list->edge_count)
        return NULL;
    if (list->is_gapped && position == 0)
        return first;
    if (list->is_gapped) {
        /* varve_edge_first may have renamed the first edge. */
        uint64_t second = edge_number_in_name(vv_next_edge(first));
        uint64_t last = edge_number_in_name(vv_last_edge_as_is(list));
        if (last - second + 2 == list->edge_count)
            position += second - 1;
        else
            vv_edge_close_gaps((varve_node *)list);
    }
    size_t size = vv_decimal(position, decimal);
    const struct vv_name *name =
        vv_names_find(&list->graph->names, decimal, size);
    return name ? edge_find_as_is(list, name) : NULL;
}

/* Adds all edges of a node to the set. Called when the node has many. */
static bool index_edges(varve_node *parent)
{
    struct vv_set *set = &parent->graph->edge_set;
    if (!vv_set_reserve(set, set->count + parent->edge_count))
        return false;
    for (struct vv_edge *e = vv_first_edge_as_is(parent); e;
         e = vv_next_edge(e))
        vv_set_add(set, e);
    parent->has_many_edges = true;
    return true;
}

/* Returns the number of a linked edge. It is stored in the edge before it or in
 * the parent. */
static uint32_t edge_number_of(const struct vv_edge *edge)
{
    const struct vv_edge *previous = vv_previous_edge(edge);
    return previous ? previous->next : edge->parent->first_edge;
}

/* Inserts an edge after the first one, which remains the oldest. */
static void link_in(struct vv_edge *edge, uint32_t number)
{
    struct vv_edge *first = vv_first_in_as_is(edge->public.node);
    edge->previous_in = edge->public.node->first_in;
    edge->next_in = first ? first->next_in : 0;
    if (edge->next_in)
        vv_next_in_as_is(edge)->previous_in = number;
    if (first)
        first->next_in = number;
    else
        edge->public.node->first_in = number;
}

static void unlink_in(struct vv_edge *edge)
{
    edge->parent->graph->path_changes++;
    if (edge->next_in)
        vv_next_in_as_is(edge)->previous_in = edge->previous_in;
    if (edge->previous_in)
        vv_previous_in(edge)->next_in = edge->next_in;
    else
        edge->public.node->first_in = edge->next_in;
}

static void link_to_parent(struct vv_edge *edge, uint32_t number)
{
    varve_node *parent = edge->parent;
    struct vv_edge *first = vv_first_edge_as_is(parent);
    if (first) {
        vv_last_edge_as_is(parent)->next = number;
        edge->previous = first->previous;
        first->previous = number;
    } else {
        parent->first_edge = number;
        edge->previous = number;
    }
    parent->edge_count++;
}

static void unlink_from_parent(struct vv_edge *edge)
{
    varve_node *parent = edge->parent;
    struct vv_edge *previous = vv_previous_edge(edge);
    struct vv_edge *behind =
        edge->next ? vv_next_edge(edge) : vv_first_edge_as_is(parent);
    behind->previous = edge->previous;
    if (previous)
        previous->next = edge->next;
    else
        parent->first_edge = edge->next;
    parent->edge_count--;
    if (parent->edge_count == 0)
        parent->is_gapped = false;
}

void vv_edge_set_child(struct vv_edge *edge, varve_node *child)
{
    unlink_in(edge);
    edge->public.node = child;
    link_in(edge, edge_number_of(edge));
}

bool vv_node_takes_children(varve_node *parent, const char *name)
{
    char text[256];
    if (vv_is_nil(parent)) {
        vv_graph_note_lost(parent->graph, "adding", name ? name : "an element");
        vv_graph_nil_error(parent->graph);
        return false;
    }
    if (parent->kind == VARVE_VARIABLE) {
        vv_graph_error(parent->graph, VARVE_MISUSE,
            "%s: a variable cannot have children (\"%s\")",
            vv_node_text(parent, text, sizeof text), name ? name : "");
        return false;
    }
    return true;
}

/* Returns the edge at the position that a name is, or NULL. */
static struct vv_edge *edge_called_as_is(
    const varve_node *list, const struct vv_name *name)
{
    char decimal[24];
    uint64_t position = 0;
    for (const char *at = name->bytes; *at >= '0' && *at <= '9'; at++)
        position = 10 * position + (uint64_t)(*at - '0');
    size_t size = vv_decimal(position, decimal);
    return size == name->size && memcmp(decimal, name->bytes, size) == 0
               ? vv_edge_at(list, position)
               : NULL;
}

struct vv_edge *vv_edge_called(const varve_node *parent, const char *name)
{
    const struct vv_name *known =
        vv_is_nil(parent) || !name
            ? NULL
            : vv_names_find(&parent->graph->names, name, strlen(name));
    if (!known)
        return NULL;
    return parent->is_gapped ? edge_called_as_is(parent, known)
                             : vv_edge_find(parent, known);
}

static void edge_fail_duplicate(varve_node *parent, const char *name)
{
    char text[256];
    vv_graph_error(parent->graph, VARVE_DUPLICATE,
        "%s: duplicate name \"%.200s\"",
        vv_node_text(parent, text, sizeof text), name);
}

/* Returns the name of a new last edge of a gapped list, which continues the
 * names of the other edges, or NULL if out of memory. Also stores the name of
 * its position, so that the list can be renamed. */
static const struct vv_name *edge_name_behind(
    varve_node *list, const char *position, size_t size)
{
    struct vv_name_table *names = &list->graph->names;
    char decimal[24];
    if (!vv_names_intern(names, position, size))
        return NULL;
    size =
        vv_decimal(edge_number_in_name(vv_last_edge_as_is(list)) + 1, decimal);
    return vv_names_intern(names, decimal, size);
}

/* Returns the name of a new child, or NULL after an error. */
static const struct vv_name *edge_take_name(
    varve_node *parent, const char *name, char decimal[24])
{
    varve_graph *graph = parent->graph;
    char text[256];
    if (!vv_node_takes_children(parent, name))
        return NULL;
    size_t size;
    if (parent->kind == VARVE_LIST) {
        size = vv_decimal(parent->edge_count, decimal);
        if (name && vv_edge_called(parent, name)) {
            edge_fail_duplicate(parent, name);
            return NULL;
        }
        if (name && strcmp(name, decimal) != 0) {
            vv_graph_error(graph, VARVE_BAD_NAME,
                "%s: the next name in a list must be its position %s, found "
                "\"%.200s\"",
                vv_node_text(parent, text, sizeof text), decimal, name);
            return NULL;
        }
        name = decimal;
    } else {
        size = name ? strlen(name) : 0;
        if (!vv_name_is_valid(name, size)) {
            vv_graph_error(graph, VARVE_BAD_NAME,
                "%s: a name must be 1 to %d bytes of UTF-8, found %zu bytes%s",
                vv_node_text(parent, text, sizeof text), VARVE_MAX_NAME_SIZE,
                size,
                size && size <= VARVE_MAX_NAME_SIZE ? " that are not" : "");
            return NULL;
        }
    }
    const struct vv_name *kept =
        parent->is_gapped ? edge_name_behind(parent, name, size)
                          : vv_names_intern(&graph->names, name, size);
    if (!kept)
        vv_graph_memory_error(graph);
    return kept;
}

struct vv_edge *vv_edge_add_quietly(
    varve_node *parent, const char *name, varve_node *child)
{
    varve_graph *graph = parent->graph;
    char decimal[24];
    char text[256];
    const struct vv_name *kept = edge_take_name(parent, name, decimal);
    if (!kept || !vv_graph_may_change(parent, VV_HOLDS_ALL))
        return NULL;
    if (vv_is_nil(child)) {
        vv_graph_error(graph, VARVE_MISUSE, "%s: child is NULL",
            vv_node_text(parent, text, sizeof text));
        return NULL;
    }
    if (child->graph != graph) {
        vv_graph_error(graph, VARVE_MISUSE, "%s: the child is in another graph",
            vv_node_text(parent, text, sizeof text));
        return NULL;
    }
    if (edge_find_as_is(parent, kept)) {
        edge_fail_duplicate(parent, kept->bytes);
        return NULL;
    }
    if (parent->edge_count == UINT32_MAX - 1 ||
        (parent->edge_count == VV_FEW_EDGES && !parent->has_many_edges &&
            !index_edges(parent))) {
        vv_graph_memory_error(graph);
        return NULL;
    }
    uint32_t number;
    /* Everything that can fail comes before the edge is linked. */
    struct vv_edge *edge =
        !parent->has_many_edges ||
                vv_set_reserve(&graph->edge_set, graph->edge_set.count + 1)
            ? vv_indexed_pool_take(&graph->edges, &number)
            : NULL;
    if (!edge) {
        vv_graph_memory_error(graph);
        return NULL;
    }
    edge->public = (varve_edge){ .name = kept->bytes, .node = child };
    edge->parent = parent;
    if (parent->has_many_edges)
        vv_set_add(&graph->edge_set, edge);
    link_to_parent(edge, number);
    link_in(edge, number);
    return edge;
}

/* A callback of an observer may remove the edge. */
void vv_edge_notify(struct vv_edge *edge)
{
    varve_graph *graph = edge->parent->graph;
    struct vv_notice notice = { edge, graph->notices };
    if (!vv_graph_listener(graph))
        return;
    graph->notices = &notice;
    for (struct vv_observer *o = vv_graph_listener(graph); o && notice.edge;
         o = o->older) {
        if (o->edge_added)
            o->edge_added(o, edge);
    }
    graph->notices = notice.outer;
}

struct vv_edge *vv_edge_add(
    varve_node *parent, const char *name, varve_node *child)
{
    struct vv_edge *edge = vv_edge_add_quietly(parent, name, child);
    if (edge)
        vv_edge_notify(edge);
    return edge;
}

varve_node *vv_edge_attach(
    varve_node *parent, const char *name, varve_node *node)
{
    if (vv_is_nil(node))
        return node;
    if (!vv_edge_add(parent, name, node)) {
        vv_node_free(node);
        return &parent->graph->nil;
    }
    return node;
}

void vv_edge_notify_removed(varve_graph *graph, varve_node *child)
{
    for (struct vv_observer *o = vv_graph_listener(graph); o; o = o->older) {
        if (o->edge_removed)
            o->edge_removed(o, child);
    }
}

void vv_edge_notify_moved(varve_node *list)
{
    for (struct vv_observer *o = list->graph->newest; o; o = o->older) {
        if (o->children_moved)
            o->children_moved(o, list);
    }
}

void vv_edge_remove(struct vv_edge *edge)
{
    varve_node *parent = edge->parent;
    varve_node *child = edge->public.node;
    varve_graph *graph = parent->graph;
    /* Ends the notifications about this edge. */
    for (struct vv_notice *t = graph->notices; t; t = t->outer)
        if (t->edge == edge)
            t->edge = NULL;
    if (parent->has_many_edges)
        vv_set_remove(&graph->edge_set, edge);
    uint32_t number = edge_number_of(edge);
    unlink_from_parent(edge);
    unlink_in(edge);
    vv_indexed_pool_give(&graph->edges, number);
    vv_edge_notify_removed(graph, child);
}

varve_node *varve_track(varve_node *parent, const char *name, varve_node *node)
{
    parent = vv_or_nil(parent);
    node = vv_or_nil(node);
    struct vv_edge *edge = vv_edge_called(parent, name);
    if (edge && edge->public.node == node)
        return node;
    return vv_edge_add(parent, name, node) ? node : &parent->graph->nil;
}

varve_node *varve_replace(
    varve_node *parent, const char *name, varve_node *node)
{
    parent = vv_or_nil(parent);
    node = vv_or_nil(node);
    struct vv_edge *edge = vv_edge_called(parent, name);
    if (!edge || edge->public.node == node || vv_is_nil(node) ||
        node->graph != parent->graph)
        return varve_track(parent, name, node);
    if (!vv_graph_may_change(parent, VV_HOLDS_EDGES))
        return &parent->graph->nil;
    varve_node *old = edge->public.node;
    vv_edge_set_child(edge, node);
    vv_edge_notify_removed(parent->graph, old);
    vv_edge_notify(edge);
    return node;
}

void vv_edge_untrack(struct vv_edge *edge)
{
    varve_node *parent = edge->parent;
    if (parent->kind != VARVE_LIST) {
        vv_edge_remove(edge);
        return;
    }
    bool moves = edge->next != 0;
    parent->is_gapped |= moves;
    vv_edge_remove(edge);
    if (moves)
        vv_edge_notify_moved(parent);
}

varve_node *varve_find(varve_node *parent, const char *name)
{
    parent = vv_or_nil(parent);
    struct vv_edge *edge = vv_edge_called(parent, name);
    return edge ? edge->public.node : NULL;
}

varve_node *varve_find_path(varve_node *from, const char *path)
{
    from = vv_or_nil(from);
    struct vv_buffer name;
    vv_buffer_init(&name, &from->graph->context.allocator);
    varve_node *node = vv_is_nil(from) ? NULL : from;
    while (node && path && *path) {
        path = vv_path_next_name(path, &name);
        node = path ? varve_find(node, vv_buffer_string(&name)) : NULL;
    }
    vv_buffer_clear(&name);
    return node;
}

/* Returns an edge for the program. In a gapped list this renames one edge, so
 * that a program can take the elements of a long list one by one. */
static const varve_edge *edge_shown(
    struct vv_edge *edge, const struct vv_edge *previous)
{
    if (edge && edge->parent->is_gapped)
        edge_rename(edge, previous ? edge_number_in_name(previous) + 1 : 0);
    return edge ? &edge->public : NULL;
}

const varve_edge *varve_edge_first(const varve_node *parent)
{
    return edge_shown(vv_first_edge_as_is(vv_or_nil(parent)), NULL);
}

const varve_edge *varve_edge_next(const varve_edge *edge)
{
    const struct vv_edge *previous = (const struct vv_edge *)edge;
    return edge ? edge_shown(vv_next_edge(previous), previous) : NULL;
}

size_t varve_edge_count(const varve_node *parent)
{
    parent = vv_or_nil(parent);
    return parent->edge_count;
}
