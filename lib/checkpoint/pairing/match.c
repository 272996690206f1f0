/* match.c - breadth first over both graphs at once, along edges of the same
 * name, from the program's side: what the file has beyond that simply stays
 * unbound, and waits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "match.h"

#include <stdlib.h>
#include <string.h>

#include "binding.h"
#include "by_name.h"
#include "name.h"
#include "slot.h"
#include "variable.h"
#include "via.h"

enum { MOST_EDGES = 64 }; /* to a node that are looked at */

/* --- Edges and slots ---------------------------------------------------- */

static uint32_t child_in_file(
    struct varve_restoration *r, uint32_t file, const struct vv_name *name)
{
    uint32_t id = vv_name_in_file(r, name);
    return id == VV_NONE ? VV_NONE
                         : vv_index_find_child(vv_index_of(r), file, id);
}

/* Where an edge whose name the file does not have leads by an alias. */
static uint32_t child_by_alias(
    struct varve_restoration *r, uint32_t file, const varve_node *child)
{
    uint32_t found = VV_NONE;
    const struct vv_alias *alias = child->extra ? child->extra->aliases : NULL;
    for (; found == VV_NONE && alias; alias = alias->next)
        found = child_in_file(r, file, alias->name);
    return found;
}

/* What is shared in the file has one path that comes first. */
static enum vv_how how_by_edge(struct varve_restoration *r,
    const varve_node *parent, const struct vv_name *name, uint32_t file,
    uint32_t child)
{
    enum vv_how how = vv_how_of(r, parent);
    if (how != VV_BY_PATH || !r->has_shared)
        return how;
    const struct vv_index *index = vv_index_of(r);
    bool is_first = child != r->file_root && r->paths.parents[child] == file &&
                    vv_at32(index->edge_names, r->paths.ways[child]) ==
                        vv_name_in_file(r, name);
    return is_first ? how : VV_BY_OTHER_PATH;
}

/* `file`: with which node of the file the parent is matched; VV_NONE: with all
 * that it stands for. */
static void match_edge(
    struct varve_restoration *r, struct vv_edge *edge, uint32_t file)
{
    varve_node *parent = edge->parent;
    varve_node *child = edge->public.node;
    const struct vv_name *name = edge->name;
    if (!vv_know_numbers(r)) {
        vv_out_of_memory(r);
        return;
    }
    if (!vv_is_known(r, parent))
        return;
    vv_visit(r, child,
        (struct vv_via){ .parent = parent->number + 1, .name = name });
    uint32_t found;
    bool is_renamed =
        vv_find_renamed(r, parent, name->bytes, name->size, &found);
    vv_note_renamed(r, child, parent, name, is_renamed);
    if (is_renamed) {
        if (found != VV_NONE)
            vv_bind(r, child, found, VV_BY_RENAME);
        return;
    }
    if (file != VV_NONE && !vv_stands_for(r, parent, file))
        return; /* let go meanwhile */
    uint32_t at = file != VV_NONE ? file : vv_file_node_of(r, parent);
    while (at != VV_NONE) {
        uint32_t next =
            file != VV_NONE ? VV_NONE : vv_next_partner(r, parent, at);
        found = child_in_file(r, at, name);
        if (found != VV_NONE)
            vv_bind(r, child, found, how_by_edge(r, parent, name, at, found));
        else if ((found = child_by_alias(r, at, child)) != VV_NONE)
            vv_defer(r, child, found, VV_BY_ALIAS);
        at = next;
    }
}

void vv_match_edge(struct varve_restoration *r, struct vv_edge *edge)
{
    match_edge(r, edge, VV_NONE);
}

void vv_match_moved(struct varve_restoration *r, struct vv_edge *edge)
{
    const varve_node *child = edge->public.node;
    bool was_matched = vv_file_node_of(r, child) != VV_NONE ||
                       child->restored_by == r->observer.number;
    if (!was_matched)
        vv_match_edge(r, edge);
}

uint32_t vv_match_child(
    struct varve_restoration *r, varve_node *parent, const char *name)
{
    uint32_t file = VV_NONE;
    size_t size = strlen(name);
    if (!vv_is_known(r, parent) ||
        vv_find_renamed(r, parent, name, size, &file))
        return file;
    uint32_t id = vv_index_find_name(vv_index_of(r), name, size);
    uint32_t at = id == VV_NONE ? VV_NONE : vv_file_node_of(r, parent);
    for (; at != VV_NONE && file == VV_NONE;
         at = vv_next_partner(r, parent, at))
        file = vv_index_find_child(vv_index_of(r), at, id);
    return file != VV_NONE ? file : vv_by_name_child(r, parent, name);
}

static uint32_t slot_in_file(struct varve_restoration *r,
    const varve_node *owner, const varve_node *variable, const char *name)
{
    uint32_t id = vv_index_find_name(vv_index_of(r), name, strlen(name));
    uint32_t at = vv_file_node_of(r, variable);
    uint32_t by = vv_file_node_of(r, owner);
    uint32_t found = VV_NONE;
    if (id == VV_NONE || at == VV_NONE)
        return VV_NONE;
    for (; by != VV_NONE && found == VV_NONE;
         by = vv_next_partner(r, owner, by))
        found = vv_index_find_slot(vv_index_of(r), by, at, id);
    return found;
}

uint32_t vv_match_slot_of(struct varve_restoration *r, varve_node *owner,
    varve_node *variable, const char *name)
{
    uint32_t found;
    if (vv_find_renamed_slot(r, owner, variable, name, &found))
        return found;
    return slot_in_file(r, owner, variable, name);
}

/* A slot of the nodes that hold what they stand for goes before one of those
 * that only claim it. */
static void bind_slot(
    struct varve_restoration *r, const struct vv_slot *slot, uint32_t file)
{
    const varve_node *owner = slot->owner;
    const varve_node *variable = slot->public.variable;
    enum vv_how by = vv_how_of(r, owner);
    enum vv_how on = vv_how_of(r, variable);
    enum vv_how how = by > on ? by : on;
    if (vv_is_holder(r, owner, vv_file_node_of(r, owner)) &&
        vv_is_holder(r, variable, vv_file_node_of(r, variable)))
        vv_bind(r, slot->public.node, file, how);
    else
        vv_defer(r, slot->public.node, file, how);
}

void vv_match_slot(struct varve_restoration *r, struct vv_slot *slot)
{
    if (!vv_know_numbers(r)) {
        vv_out_of_memory(r);
        return;
    }
    if (!vv_is_known(r, slot->owner) || !vv_is_known(r, slot->public.variable))
        return;
    vv_visit(r, slot->public.node,
        (struct vv_via){
            .parent = slot->owner->number + 1,
            .variable = slot->public.variable->number + 1,
            .name = slot->name,
        });
    uint32_t file;
    const varve_node *variable = slot->public.variable;
    const char *name = slot->name->bytes;
    if (vv_find_renamed_slot(r, slot->owner, variable, name, &file)) {
        if (file != VV_NONE)
            vv_bind(r, slot->public.node, file, VV_BY_RENAME);
    } else if ((file = slot_in_file(r, slot->owner, variable, name)) !=
               VV_NONE) {
        bind_slot(r, slot, file);
    }
}

/* --- Queues ------------------------------------------------------------- */

/* A slot of an owner that stands for one node of the file more. */
static void match_slot_by(
    struct varve_restoration *r, struct vv_slot *slot, uint32_t owner)
{
    const struct vv_index *index = vv_index_of(r);
    uint32_t variable = vv_file_node_of(r, slot->public.variable);
    uint32_t id = vv_name_in_file(r, slot->name);
    if (variable == VV_NONE || id == VV_NONE ||
        vv_file_node_of(r, slot->public.node) != VV_NONE)
        return;
    uint32_t renamed, file = vv_index_find_slot(index, owner, variable, id);
    if (file != VV_NONE &&
        !vv_find_renamed_slot(
            r, slot->owner, slot->public.variable, slot->name->bytes, &renamed))
        bind_slot(r, slot, file);
}

static int compare_edges(const void *left, const void *right)
{
    const struct vv_name *a = (*(struct vv_edge *const *)left)->name;
    const struct vv_name *b = (*(struct vv_edge *const *)right)->name;
    size_t size = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->bytes, b->bytes, size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* The edges of a node in the order of a file, by name or position, so that it
 * is not the order of building which decides who is the first to claim what is
 * shared. NULL without memory. */
static struct vv_edge **sorted_edges(
    struct varve_restoration *r, const varve_node *node)
{
    struct vv_buffer *sorted = vv_emptied(&r->sorted);
    bool in_order = true;
    for (struct vv_edge *e = node->first_edge; e; e = e->next) {
        vv_buffer_add(sorted, &e, sizeof e);
        in_order &= !e->previous || compare_edges(&e->previous, &e) < 0;
    }
    if (sorted->failed) {
        vv_out_of_memory(r);
        return NULL;
    }
    if (!in_order && node->kind != VARVE_LIST)
        qsort(sorted->data, node->edge_count, sizeof(struct vv_edge *),
            compare_edges);
    return (struct vv_edge **)(void *)sorted->data;
}

static void match_node(
    struct varve_restoration *r, varve_node *node, uint32_t file)
{
    bool is_first = file == VV_NONE || file == vv_file_node_of(r, node);
    struct vv_edge **edges = sorted_edges(r, node);
    for (size_t i = 0; edges && i < node->edge_count; i++)
        match_edge(r, edges[i], file);
    for (struct vv_slot *s = vv_slot_first_of(node); s; s = s->next) {
        if (is_first)
            vv_match_slot(r, s);
        else if (vv_is_holder(r, node, file))
            match_slot_by(r, s, file);
    }
    struct vv_slot *on = node->variable ? node->variable->first_slot : NULL;
    for (; on; on = on->next_on)
        vv_match_slot(r, on);
    if (!r->is_dry && node->extra && node->extra->on_demand)
        vv_add_pair(r, &r->demand, node, file);
}

/* Whether a parent leads to a child by another name than the file does: by a
 * rename or an alias. (A few of many edges will do.) */
static bool leads_otherwise(struct varve_restoration *r,
    const varve_node *parent, const varve_node *child, uint32_t file)
{
    const struct vv_edge *e = child->first_in;
    bool has_aliases = child->extra && child->extra->aliases;
    if (!r->selection.rename_count && !r->is_by_name && !has_aliases)
        return false;
    for (int i = 0; e && i < MOST_EDGES; e = e->next_in, i++) {
        uint32_t at = vv_file_node_of(r, child);
        if (e->parent == parent && child_in_file(r, file, e->name) != at)
            return true;
    }
    return false;
}

/* Makes an edge of the file that leads to what the program has already. In a
 * list it has to be the next. */
static void share(struct varve_restoration *r, varve_node *parent,
    const char *name, uint32_t file, uint32_t child)
{
    char next[24];
    if (r->needs_sweep && !vv_sweep(r)) {
        vv_out_of_memory(r);
        return;
    }
    varve_node *node = r->node_of[child];
    next[vv_decimal(parent->edge_count, next)] = '\0';
    if (!node || leads_otherwise(r, parent, node, file) ||
        (parent->kind == VARVE_LIST && strcmp(name, next) != 0))
        return;
    varve_track(parent, name, node);
}

/* Asks a node for each child that the file has and nothing is bound to. The
 * callback may add to the graph, and so to the queue. */
static void offer_edges(
    struct varve_restoration *r, size_t place, uint32_t file)
{
    const struct vv_index *index = vv_index_of(r);
    struct vv_buffer name;
    vv_buffer_init(&name, &r->context.allocator);
    uint32_t begin, end;
    vv_index_edges(index, file, &begin, &end);
    for (uint32_t e = begin; e < end; e++) {
        varve_node *node = vv_queued(&r->demand, place).node;
        uint32_t child = vv_at32(index->edge_children, e);
        if (!node || !node->extra->on_demand)
            break;
        size_t size;
        const char *bytes =
            vv_index_name(index, vv_at32(index->edge_names, e), &size);
        name.size = 0;
        vv_buffer_add(&name, bytes, size);
        const char *text = vv_buffer_string(&name);
        if (name.failed) {
            vv_out_of_memory(r);
            break;
        }
        if (varve_find(node, text))
            continue;
        if (r->node_of[child]) {
            share(r, node, text, file, child);
            continue;
        }
        varve_tensor value;
        bool has_value = r->value_of[child] != VV_NONE;
        if (has_value)
            value = vv_saved(r, r->value_of[child]);
        varve_offer offer = { text, vv_index_kind(index, child),
            has_value ? &value : NULL };
        node->extra->on_demand(node->extra->on_demand_user, node, &offer);
    }
    vv_buffer_clear(&name);
}

static void offer(struct varve_restoration *r, size_t place)
{
    struct vv_pair pair = vv_queued(&r->demand, place);
    if (!pair.node)
        return;
    uint32_t at = pair.file;
    if (at == VV_NONE)
        at = vv_file_node_of(r, pair.node);
    while (at != VV_NONE && vv_stands_for(r, pair.node, at)) {
        offer_edges(r, place, at);
        if (pair.file != VV_NONE || !vv_queued(&r->demand, place).node)
            break;
        at = vv_next_partner(r, pair.node, at);
    }
}

static bool has_more(const struct vv_buffer *queue, size_t from)
{
    return from < queue->size / sizeof(struct vv_pair);
}

/* Claims by aliases, when there are none by paths any more. */
static void match_deferred(struct varve_restoration *r)
{
    for (size_t i = 0; i < r->deferred.size / sizeof(struct vv_deferred); i++)
        vv_bind_deferred(r, i);
    r->deferred.size = 0;
}

void vv_match_queue(struct varve_restoration *r)
{
    size_t offered = 0;
    do {
        for (; has_more(&r->queue, r->queue_first); r->queue_first++) {
            struct vv_pair next = vv_queued(&r->queue, r->queue_first);
            if (next.node)
                match_node(r, next.node, next.file);
        }
        r->queue.size = 0;
        r->queue_first = 0;
        if (r->deferred.size)
            match_deferred(r);
        else if (has_more(&r->demand, offered))
            offer(r, offered++);
        else
            vv_by_name_match(r);
    } while (
        r->queue.size || r->deferred.size || has_more(&r->demand, offered));
    r->demand.size = 0;
    if (!r->is_open)
        vv_buffer_clear(&r->queue); /* what comes later will need little */
}

void vv_match_again(struct varve_restoration *r, varve_node *node)
{
    bool is_known = vv_is_held(r, node);
    bool is_matched = vv_file_node_of(r, node) != VV_NONE;
    struct vv_edge *e = is_matched ? NULL : node->first_in;
    for (; e; e = e->next_in)
        vv_match_edge(r, e);
    if (is_known)
        vv_add_pair(r, &r->queue, node, VV_NONE);
}

void vv_match_everything(struct varve_restoration *r)
{
    vv_match_roots(r);
    for (varve_node *node = r->graph->all; node; node = node->next_of_all) {
        if (!vv_is_known(r, node))
            continue;
        vv_add_pair(r, &r->queue, node, VV_NONE);
        if (r->is_by_name)
            vv_by_name_consider(r, node);
    }
}

void vv_match_roots(struct varve_restoration *r)
{
    if (!vv_know_numbers(r)) {
        vv_out_of_memory(r);
        return;
    }
    vv_visit(r, r->root, (struct vv_via){ 0 });
    if (r->node_of[r->file_root] == r->root)
        vv_add_pair(r, &r->queue, r->root, VV_NONE);
    else
        vv_bind(r, r->root, r->file_root, VV_BY_PATH);
}
