/* offering.c - Offers the children of a node of the file to the program, in the
 * order of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "offering.h"

#include <string.h>

#include "allocator.h"
#include "binding.h"
#include "edge.h"
#include "hash_table.h"
#include "name.h"
#include "node_names.h"
#include "on_demand.h"
#include "struct.h"

/* --- What leads there already --------------------------------------------- */

/* The edges of one parent, by child, added when they are needed. An edge is
 * removed once it is known to be as in the file. So many edges to one child
 * take no longer than as many children. */
struct edges_to {
    const struct vv_edge *edge;
    struct edges_to *next; /* another edge to the same child */
};

struct edges_by_child {
    uint32_t file;     /* the node of the file that the parent is bound to */
    struct vv_map map; /* struct edges_to; the first of each child is never
                          removed */
    struct vv_arena arena;
    const struct vv_edge *last; /* the last edge that was added */
    uint64_t sweeps;            /* number of sweeps at that time */
};

static void begin_edges(
    struct vv_matching *m, struct edges_by_child *edges, uint32_t file)
{
    vv_map_init(&edges->map, &m->pairing->context.allocator);
    vv_arena_init(&edges->arena, &m->pairing->context.allocator);
    edges->file = file;
    edges->last = NULL;
    edges->sweeps = m->sweeps;
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

static uint64_t offering_hash_of(const varve_node *node)
{
    return vv_map_mix(node->number);
}

static bool offering_take_edge(
    struct edges_by_child *edges, const struct vv_edge *edge)
{
    uint64_t hash = offering_hash_of(edge->public.node);
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

/* Adds the edges that are new. Starts again if edges may have been removed. */
static bool take_edges(struct vv_matching *m, struct edges_by_child *edges,
    const varve_node *parent)
{
    if (edges->sweeps != m->sweeps) {
        end_edges(edges);
        begin_edges(m, edges, edges->file);
    }
    const struct vv_edge *e =
        edges->last ? vv_next_edge(edges->last) : vv_first_edge(parent);
    for (; e; e = vv_next_edge(e)) {
        if (!offering_take_edge(edges, e))
            return false;
        edges->last = e;
    }
    return true;
}

/* Returns true if the file has an edge of the same name to the same child. */
static bool is_as_in_file(
    struct vv_matching *m, const struct vv_edge *edge, uint32_t file)
{
    struct vv_pairing *p = m->pairing;
    return vv_child_in_file(&p->names, file, vv_edge_name(edge)) ==
           vv_file_node_of(&p->matches, edge->public.node);
}

/* Returns true if a parent leads to a child by another name than the file does,
 * because of a rename or an alias. */
static bool leads_otherwise(struct vv_matching *m, struct edges_by_child *edges,
    const varve_node *parent, const varve_node *child)
{
    bool has_aliases = vv_first_alias(child);
    if (!m->pairing->selection.rename_count && !m->is_by_name && !has_aliases)
        return false;
    if (!take_edges(m, edges, parent)) {
        vv_out_of_memory(m);
        return true;
    }
    struct edges_to *to =
        vv_map_find(&edges->map, offering_hash_of(child), leads_to, child);
    if (!to)
        return false;
    for (; to->next; to->next = to->next->next)
        if (!is_as_in_file(m, to->next->edge, edges->file))
            return true;
    return !is_as_in_file(m, to->edge, edges->file);
}

/* Adds an edge of the file to a node that the program already has. In a list it
 * must be the next element. */
static void offering_share(struct vv_matching *m, struct edges_by_child *edges,
    varve_node *parent, const char *name, uint32_t child)
{
    char next[24];
    if (m->needs_sweep && !vv_sweep(m)) {
        vv_out_of_memory(m);
        return;
    }
    varve_node *node = m->pairing->matches.node_of[child];
    next[vv_decimal(parent->edge_count, next)] = '\0';
    if (!node || leads_otherwise(m, edges, parent, node) ||
        (parent->kind == VARVE_LIST && strcmp(name, next) != 0))
        return;
    varve_track(parent, name, node);
}

/* --- Offers --------------------------------------------------------------- */

/* Returns true if the program has given up a node of the file. */
static bool is_closed(const struct vv_matching *m, uint32_t file)
{
    const struct vv_delivery_states *delivery_states =
        &m->delivery->delivery_states;
    uint32_t value = vv_value_of(m->pairing, file);
    return m->pairing->matches.is_past[file] ||
           (value == VV_NONE ? vv_is_dropped(delivery_states, file)
                             : vv_is_given_up(delivery_states, value));
}

/* Offers the child of an edge of the file to a node that has no child of that
 * name. */
static void offer_child(struct vv_matching *m, struct edges_by_child *edges,
    varve_node *node, const char *name, uint32_t edge)
{
    const struct vv_index *index = vv_index_of(m->pairing);
    uint32_t child = vv_at32(index->edge_children, edge);
    if (m->pairing->matches.node_of[child]) {
        /* Structs have only their members. Edges that the program has removed
         * are not added again. */
        if (!vv_is_struct(node) && !m->was_there[edge])
            offering_share(m, edges, node, name, child);
        return;
    }
    if (is_closed(m, child))
        return;
    varve_tensor value;
    bool has_value = vv_value_of(m->pairing, child) != VV_NONE;
    if (has_value)
        value = vv_saved(m->pairing, vv_value_of(m->pairing, child));
    uint32_t first, last;
    vv_index_edges(index, child, &first, &last);
    varve_offer offer = { name, vv_index_kind(index, child),
        has_value ? &value : NULL, last - first };
    const struct vv_on_demand *on_demand = vv_on_demand_of(node);
    on_demand->callback(on_demand->user, node, &offer);
}

static bool offering_reserve_edges(struct vv_matching *m)
{
    if (!m->was_there)
        m->was_there = vv_allocate_zeroed(&m->pairing->context.allocator,
            vv_index_of(m->pairing)->edge_count * sizeof *m->was_there);
    if (!m->was_there)
        vv_out_of_memory(m);
    return m->was_there;
}

static void offer_edges(struct vv_matching *m, size_t place, uint32_t file)
{
    const struct vv_index *index = vv_index_of(m->pairing);
    struct vv_buffer name;
    struct edges_by_child edges;
    vv_buffer_init(&name, &m->pairing->context.allocator);
    begin_edges(m, &edges, file);
    uint32_t begin, end;
    vv_index_edges(index, file, &begin, &end);
    for (uint32_t e = begin; e < end && offering_reserve_edges(m); e++) {
        varve_node *node = vv_work_queue_offer_at(&m->work_queue, place).node;
        if (!node || !vv_on_demand_of(node))
            break;
        size_t size;
        const char *bytes =
            vv_index_name(index, vv_at32(index->edge_names, e), &size);
        vv_buffer_add(vv_emptied(&name), bytes, size);
        const char *text = vv_buffer_string(&name);
        if (name.failed) {
            vv_out_of_memory(m);
            break;
        }
        if (!varve_find(node, text))
            offer_child(m, &edges, node, text, e);
        node = vv_work_queue_offer_at(&m->work_queue, place).node;
        m->was_there[e] |= node && varve_find(node, text);
    }
    end_edges(&edges);
    vv_buffer_clear(&name);
}

void vv_offer(struct vv_matching *m, size_t place)
{
    const struct vv_matches *matches = &m->pairing->matches;
    struct vv_pair pair = vv_work_queue_offer_at(&m->work_queue, place);
    if (!pair.node)
        return;
    uint32_t at = pair.file;
    if (at == VV_NONE)
        at = vv_file_node_of(matches, pair.node);
    while (at != VV_NONE && vv_is_bound_or_claims(matches, pair.node, at)) {
        offer_edges(m, place, at);
        if (pair.file != VV_NONE ||
            !vv_work_queue_offer_at(&m->work_queue, place).node)
            break;
        at = vv_next_partner(matches, pair.node, at);
    }
}
