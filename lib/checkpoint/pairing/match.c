/* match.c - breadth first over both graphs at once, along edges of the same
 * name, from the program's side: what the file has beyond that simply stays
 * unbound, and waits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "match.h"

#include <stdlib.h>
#include <string.h>

#include "alias.h"
#include "arena.h"
#include "binding.h"
#include "by_name.h"
#include "edge.h"
#include "map.h"
#include "name.h"
#include "on_demand.h"
#include "own_part.h"
#include "slot.h"
#include "struct.h"
#include "variable.h"
#include "via.h"

/* --- Edges and slots ---------------------------------------------------- */

/* Whether an edge of the file has that name. */
static bool has_name(
    const struct vv_index *index, uint32_t edge, const struct vv_name *name)
{
    size_t size;
    const char *bytes =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    return size == name->size && memcmp(bytes, name->bytes, size) == 0;
}

/* Program and file mostly have the same names in the same order, so that the
 * edge behind the last one found is nearly always the one. */
static uint32_t child_in_file(
    struct vv_pairing *p, uint32_t file, const struct vv_name *name)
{
    const struct vv_index *index = vv_index_of(p);
    uint32_t begin, end;
    vv_index_edges(index, file, &begin, &end);
    uint32_t edge = p->next_edge;
    if (edge < begin || edge >= end)
        edge = begin;
    if (edge == end)
        return VV_NONE;
    if (!has_name(index, edge, name)) {
        uint32_t id = vv_name_in_file(p, name);
        edge = id == VV_NONE ? id : vv_index_find_edge(index, file, id);
        if (edge == VV_NONE)
            return VV_NONE;
    }
    p->next_edge = edge + 1;
    return vv_at32(index->edge_children, edge);
}

/* Where an edge whose name the file does not have leads by an alias. */
static uint32_t child_by_alias(
    struct vv_pairing *p, uint32_t file, const varve_node *child)
{
    uint32_t found = VV_NONE;
    const struct vv_alias *alias = vv_first_alias(child);
    for (; found == VV_NONE && alias; alias = alias->next)
        found = child_in_file(p, file, alias->name);
    return found;
}

/* What is shared in the file has one path that comes first. */
static enum vv_how how_by_edge(struct vv_pairing *p, const varve_node *parent,
    const struct vv_name *name, uint32_t file, uint32_t child)
{
    enum vv_how how = vv_how_of(p, parent);
    if (how != VV_BY_PATH || !p->has_shared)
        return how;
    const struct vv_index *index = vv_index_of(p);
    bool is_first = child != p->file_root && p->paths.parents[child] == file &&
                    vv_at32(index->edge_names, p->paths.ways[child]) ==
                        vv_name_in_file(p, name);
    return is_first ? how : VV_BY_OTHER_PATH;
}

/* `file`: with which node of the file the parent is matched; VV_NONE: with all
 * that it stands for. */
static void match_edge(
    struct vv_pairing *p, struct vv_edge *edge, uint32_t file)
{
    varve_node *parent = edge->parent;
    varve_node *child = edge->public.node;
    const struct vv_name *name = vv_edge_name(edge);
    if (!vv_know_numbers(p)) {
        vv_out_of_memory(p);
        return;
    }
    if (!vv_is_known(p, parent))
        return;
    if (vv_own_is_cut(p, parent))
        return;
    if (p->vias)
        vv_visit(p, child,
            &(struct vv_via){ .parent = parent->number + 1, .name = name });
    uint32_t found;
    bool is_renamed =
        vv_find_renamed(p, parent, name->bytes, name->size, &found);
    if (p->vias)
        vv_note_renamed(p, child, parent, name, is_renamed);
    if (is_renamed) {
        if (found != VV_NONE)
            vv_bind(p, child, found, VV_BY_RENAME);
        return;
    }
    if (file != VV_NONE && !vv_stands_for(p, parent, file))
        return; /* let go meanwhile */
    uint32_t at = file != VV_NONE ? file : vv_file_node_of(p, parent);
    while (at != VV_NONE) {
        uint32_t next =
            file != VV_NONE ? VV_NONE : vv_next_partner(p, parent, at);
        bool fits = vv_own_fits(p, parent, at);
        found = fits ? child_in_file(p, at, name) : VV_NONE;
        if (found != VV_NONE)
            vv_bind(p, child, found, how_by_edge(p, parent, name, at, found));
        else if (fits && (found = child_by_alias(p, at, child)) != VV_NONE)
            vv_defer(p, child, found, VV_BY_ALIAS);
        at = next;
    }
}

void vv_match_edge(struct vv_pairing *p, struct vv_edge *edge)
{
    match_edge(p, edge, VV_NONE);
}

void vv_match_moved(struct vv_pairing *p, struct vv_edge *edge)
{
    const varve_node *child = edge->public.node;
    bool was_matched =
        vv_file_node_of(p, child) != VV_NONE || child->restored_by == p->number;
    if (!was_matched)
        vv_match_edge(p, edge);
}

uint32_t vv_match_child(
    struct vv_pairing *p, varve_node *parent, const char *name)
{
    uint32_t file = VV_NONE;
    size_t size = strlen(name);
    if (!vv_is_known(p, parent) ||
        vv_find_renamed(p, parent, name, size, &file))
        return file;
    uint32_t id = vv_index_find_name(vv_index_of(p), name, size);
    uint32_t at = id == VV_NONE ? VV_NONE : vv_file_node_of(p, parent);
    for (; at != VV_NONE && file == VV_NONE;
         at = vv_next_partner(p, parent, at)) {
        if (vv_own_fits(p, parent, at))
            file = vv_index_find_child(vv_index_of(p), at, id);
    }
    return file != VV_NONE ? file : vv_by_name_child(p, parent, name);
}

static uint32_t slot_in_file(struct vv_pairing *p, const varve_node *owner,
    const varve_node *variable, const char *name)
{
    uint32_t id = vv_index_find_name(vv_index_of(p), name, strlen(name));
    uint32_t at = vv_file_node_of(p, variable);
    uint32_t by = vv_file_node_of(p, owner);
    uint32_t found = VV_NONE;
    if (id == VV_NONE || at == VV_NONE)
        return VV_NONE;
    for (; by != VV_NONE && found == VV_NONE;
         by = vv_next_partner(p, owner, by))
        found = vv_index_find_slot(vv_index_of(p), by, at, id);
    return found;
}

uint32_t vv_match_slot_of(struct vv_pairing *p, varve_node *owner,
    varve_node *variable, const char *name)
{
    uint32_t found;
    if (vv_find_renamed_slot(p, owner, variable, name, &found))
        return found;
    return slot_in_file(p, owner, variable, name);
}

/* A slot of the nodes that hold what they stand for goes before one of those
 * that only claim it. */
static void bind_slot(
    struct vv_pairing *p, const struct vv_slot *slot, uint32_t file)
{
    const varve_node *owner = slot->owner;
    const varve_node *variable = slot->public.variable;
    enum vv_how by = vv_how_of(p, owner);
    enum vv_how on = vv_how_of(p, variable);
    enum vv_how how = by > on ? by : on;
    if (vv_is_holder(p, owner, vv_file_node_of(p, owner)) &&
        vv_is_holder(p, variable, vv_file_node_of(p, variable)))
        vv_bind(p, slot->public.node, file, how);
    else
        vv_defer(p, slot->public.node, file, how);
}

void vv_match_slot(struct vv_pairing *p, struct vv_slot *slot)
{
    if (!vv_know_numbers(p)) {
        vv_out_of_memory(p);
        return;
    }
    if (!vv_is_known(p, slot->owner) || !vv_is_known(p, slot->public.variable))
        return;
    vv_visit(p, slot->public.node,
        &(struct vv_via){
            .parent = slot->owner->number + 1,
            .variable = slot->public.variable->number + 1,
            .name = slot->name,
        });
    uint32_t file;
    const varve_node *variable = slot->public.variable;
    const char *name = slot->name->bytes;
    if (vv_find_renamed_slot(p, slot->owner, variable, name, &file)) {
        if (file != VV_NONE)
            vv_bind(p, slot->public.node, file, VV_BY_RENAME);
    } else if ((file = slot_in_file(p, slot->owner, variable, name)) !=
               VV_NONE) {
        bind_slot(p, slot, file);
    }
}

/* --- Queues ------------------------------------------------------------- */

/* A slot of an owner that stands for one node of the file more. */
static void match_slot_by(
    struct vv_pairing *p, struct vv_slot *slot, uint32_t owner)
{
    const struct vv_index *index = vv_index_of(p);
    uint32_t variable = vv_file_node_of(p, slot->public.variable);
    uint32_t id = vv_name_in_file(p, slot->name);
    if (variable == VV_NONE || id == VV_NONE ||
        vv_file_node_of(p, slot->public.node) != VV_NONE)
        return;
    uint32_t renamed, file = vv_index_find_slot(index, owner, variable, id);
    if (file != VV_NONE &&
        !vv_find_renamed_slot(
            p, slot->owner, slot->public.variable, slot->name->bytes, &renamed))
        bind_slot(p, slot, file);
}

static int compare_edges(const void *left, const void *right)
{
    const struct vv_name *a = vv_edge_name(*(struct vv_edge *const *)left);
    const struct vv_name *b = vv_edge_name(*(struct vv_edge *const *)right);
    size_t size = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->bytes, b->bytes, size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* The edges of a node in the order of a file, by name or position, so that it
 * is not the order of building which decides who is the first to claim what is
 * shared. NULL without memory. */
static struct vv_edge **sorted_edges(
    struct vv_pairing *p, const varve_node *node)
{
    size_t size = node->edge_count * sizeof(struct vv_edge *);
    struct vv_edge **sorted = vv_buffer_extend(vv_emptied(&p->sorted), size);
    bool in_order = true;
    size_t count = 0;
    if (!sorted) {
        vv_out_of_memory(p);
        return NULL;
    }
    for (struct vv_edge *e = vv_first_edge(node); e; e = vv_next_edge(e)) {
        sorted[count++] = e;
        struct vv_edge *previous = vv_previous_edge(e);
        in_order &= !previous || compare_edges(&previous, &e) < 0;
    }
    if (!in_order && node->kind != VARVE_LIST)
        qsort(sorted, count, sizeof *sorted, compare_edges);
    return sorted;
}

static void match_node(struct vv_pairing *p, varve_node *node, uint32_t file)
{
    bool is_asked = !p->is_dry && file != VV_VISIT;
    if (file == VV_VISIT)
        file = VV_NONE;
    bool is_first = file == VV_NONE || file == vv_file_node_of(p, node);
    struct vv_edge **edges = sorted_edges(p, node);
    for (size_t i = 0; edges && i < node->edge_count; i++)
        match_edge(p, edges[i], file);
    for (struct vv_slot *s = vv_slot_first_of(node); s; s = s->next) {
        if (is_first)
            vv_match_slot(p, s);
        else if (vv_is_holder(p, node, file))
            match_slot_by(p, s, file);
    }
    struct vv_slot *on = vv_first_slot_for(node);
    for (; on; on = on->next_on)
        vv_match_slot(p, on);
    if (is_asked && vv_on_demand_of(node))
        vv_add_pair(p, &p->demand, node, file);
}

/* --- What the file has and the program lacks ---------------------------- */

/* The edges of one parent by the child that they lead to, each until it was
 * found to be as in the file: so that many names of a child take no longer than
 * as many children. They are taken in as they are wanted. */
struct edges_to {
    const struct vv_edge *edge;
    struct edges_to *next; /* to the same child */
};

struct edges_by_child {
    uint32_t file;     /* what the parent stands for */
    struct vv_map map; /* struct edges_to, of which the first stays */
    struct vv_arena arena;
    const struct vv_edge *last; /* that was taken in */
    uint64_t sweeps;            /* as of then */
};

static void begin_edges(
    struct vv_pairing *p, struct edges_by_child *edges, uint32_t file)
{
    vv_map_init(&edges->map, &p->context.allocator);
    vv_arena_init(&edges->arena, &p->context.allocator);
    edges->file = file;
    edges->last = NULL;
    edges->sweeps = p->sweeps;
}

static void end_edges(struct edges_by_child *edges)
{
    vv_map_clear(&edges->map);
    vv_arena_clear(&edges->arena);
}

static bool leads_to(const void *item, const void *key)
{
    return ((const struct edges_to *)item)->edge->public.node == key;
}

static uint64_t hash_of(const varve_node *node)
{
    return vv_map_mix(node->number);
}

static bool take_edge(struct edges_by_child *edges, const struct vv_edge *edge)
{
    uint64_t hash = hash_of(edge->public.node);
    struct edges_to *first =
        vv_map_find(&edges->map, hash, leads_to, edge->public.node);
    struct edges_to *made = vv_arena_take(&edges->arena, sizeof *made);
    if (!made)
        return false;
    *made = (struct edges_to){ .edge = edge };
    if (!first)
        return vv_map_add(&edges->map, hash, made);
    made->next = first->next;
    first->next = made;
    return true;
}

/* Those that were added since; all of them where some have gone. */
static bool take_edges(struct vv_pairing *p, struct edges_by_child *edges,
    const varve_node *parent)
{
    if (edges->sweeps != p->sweeps) {
        end_edges(edges);
        begin_edges(p, edges, edges->file);
    }
    const struct vv_edge *e =
        edges->last ? vv_next_edge(edges->last) : vv_first_edge(parent);
    for (; e; e = vv_next_edge(e)) {
        if (!take_edge(edges, e))
            return false;
        edges->last = e;
    }
    return true;
}

/* Whether the file leads there by the name of an edge, too. */
static bool is_as_in_file(
    struct vv_pairing *p, const struct vv_edge *edge, uint32_t file)
{
    return child_in_file(p, file, vv_edge_name(edge)) ==
           vv_file_node_of(p, edge->public.node);
}

/* Whether a parent leads to a child by another name than the file does: by a
 * rename or an alias. */
static bool leads_otherwise(struct vv_pairing *p, struct edges_by_child *edges,
    const varve_node *parent, const varve_node *child)
{
    bool has_aliases = vv_first_alias(child);
    if (!p->selection.rename_count && !p->is_by_name && !has_aliases)
        return false;
    if (!take_edges(p, edges, parent)) {
        vv_out_of_memory(p);
        return true;
    }
    struct edges_to *to =
        vv_map_find(&edges->map, hash_of(child), leads_to, child);
    if (!to)
        return false;
    for (; to->next; to->next = to->next->next)
        if (!is_as_in_file(p, to->next->edge, edges->file))
            return true;
    return !is_as_in_file(p, to->edge, edges->file);
}

/* Makes an edge of the file that leads to what the program has already. In a
 * list it has to be the next. */
static void share(struct vv_pairing *p, struct edges_by_child *edges,
    varve_node *parent, const char *name, uint32_t child)
{
    char next[24];
    if (p->needs_sweep && !vv_sweep(p)) {
        vv_out_of_memory(p);
        return;
    }
    varve_node *node = p->node_of[child];
    next[vv_decimal(parent->edge_count, next)] = '\0';
    if (!node || leads_otherwise(p, edges, parent, node) ||
        (parent->kind == VARVE_LIST && strcmp(name, next) != 0))
        return;
    varve_track(parent, name, node);
}

/* Asks a node for each child that the file has and nothing is bound to. The
 * callback may add to the graph, and so to the queue. */
static void offer_edges(struct vv_pairing *p, size_t place, uint32_t file)
{
    const struct vv_index *index = vv_index_of(p);
    struct vv_buffer name;
    struct edges_by_child edges;
    vv_buffer_init(&name, &p->context.allocator);
    begin_edges(p, &edges, file);
    uint32_t begin, end;
    vv_index_edges(index, file, &begin, &end);
    for (uint32_t e = begin; e < end; e++) {
        varve_node *node = vv_queued(&p->demand, place).node;
        uint32_t child = vv_at32(index->edge_children, e);
        const struct vv_on_demand *on_demand =
            node ? vv_on_demand_of(node) : NULL;
        if (!on_demand)
            break;
        size_t size;
        const char *bytes =
            vv_index_name(index, vv_at32(index->edge_names, e), &size);
        name.size = 0;
        vv_buffer_add(&name, bytes, size);
        const char *text = vv_buffer_string(&name);
        if (name.failed) {
            vv_out_of_memory(p);
            break;
        }
        if (varve_find(node, text))
            continue;
        if (p->node_of[child]) {
            if (!vv_is_struct(node)) /* a struct has its members alone */
                share(p, &edges, node, text, child);
            continue;
        }
        varve_tensor value;
        bool has_value = vv_value_of(p, child) != VV_NONE;
        if (has_value)
            value = vv_saved(p, vv_value_of(p, child));
        uint32_t first, last;
        vv_index_edges(index, child, &first, &last);
        varve_offer offer = { text, vv_index_kind(index, child),
            has_value ? &value : NULL, last - first };
        on_demand->callback(on_demand->user, node, &offer);
    }
    end_edges(&edges);
    vv_buffer_clear(&name);
}

static void offer(struct vv_pairing *p, size_t place)
{
    struct vv_pair pair = vv_queued(&p->demand, place);
    if (!pair.node)
        return;
    uint32_t at = pair.file;
    if (at == VV_NONE)
        at = vv_file_node_of(p, pair.node);
    while (at != VV_NONE && vv_stands_for(p, pair.node, at)) {
        offer_edges(p, place, at);
        if (pair.file != VV_NONE || !vv_queued(&p->demand, place).node)
            break;
        at = vv_next_partner(p, pair.node, at);
    }
}

static bool has_more(const struct vv_buffer *queue, size_t from)
{
    return from < queue->size / sizeof(struct vv_pair);
}

/* Claims by aliases, when there are none by paths any more. */
static void match_deferred(struct vv_pairing *p)
{
    for (size_t i = 0; i < p->deferred.pairs.size / sizeof(struct vv_pair); i++)
        vv_bind_deferred(p, i);
    vv_empty_pairs(&p->deferred);
    p->deferred_hows.size = 0;
}

void vv_match_queue(struct vv_pairing *p)
{
    size_t offered = 0;
    do {
        for (; has_more(&p->queue, p->queue_first); p->queue_first++) {
            struct vv_pair next = vv_queued(&p->queue, p->queue_first);
            if (next.node)
                match_node(p, next.node, next.file);
        }
        p->queue.size = 0;
        p->queue_first = 0;
        /* Lesser claims wait until there are no others: those by alias, then by
         * what is made on demand, then by global name. */
        if (p->deferred.pairs.size)
            match_deferred(p);
        else if (has_more(&p->demand, offered))
            offer(p, offered++);
        else
            vv_by_name_match(p);
    } while (p->queue.size || p->deferred.pairs.size ||
             has_more(&p->demand, offered) || p->unnamed.pairs.size);
    p->demand.size = 0;
    vv_pairing_check(p);
}

void vv_match_again(struct vv_pairing *p, varve_node *node)
{
    bool is_known = vv_is_held(p, node);
    bool is_matched = vv_file_node_of(p, node) != VV_NONE;
    struct vv_edge *e = is_matched ? NULL : vv_first_in(node);
    for (; e; e = vv_next_in(e))
        vv_match_edge(p, e);
    if (is_known)
        vv_add_pair(p, &p->queue, node, VV_NONE);
}

void vv_match_everything(struct vv_pairing *p)
{
    vv_match_roots(p);
    for (varve_node *node = vv_newest_node(p->graph); node;
         node = vv_older_node(node)) {
        if (!vv_is_known(p, node))
            continue;
        vv_add_pair(p, &p->queue, node, VV_NONE);
        if (p->is_by_name)
            vv_by_name_consider(p, node);
    }
}

void vv_match_roots(struct vv_pairing *p)
{
    if (!vv_know_numbers(p)) {
        vv_out_of_memory(p);
        return;
    }
    vv_visit(p, p->root, &(struct vv_via){ 0 });
    if (p->node_of[p->file_root] == p->root)
        vv_add_pair(p, &p->queue, p->root, VV_NONE);
    else
        vv_bind(p, p->root, p->file_root, VV_BY_PATH);
}
