/* slot.c - Links, finds and unlinks slots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "slot.h"

#include <string.h>

#include "edge.h"
#include "graph.h"
#include "node.h"

/* The slots of an owner. */
struct owned_slots {
    struct vv_attachment attachment;
    struct vv_slot *first;
    struct vv_slot *last;
};

static size_t slot_keep_names(const void *self)
{
    const struct owned_slots *owned = self;
    size_t count = 0;
    for (const struct vv_slot *s = owned->first; s; s = s->next, count++)
        vv_name_keep(s->name);
    return count;
}

static const struct vv_attachment_kind owned_kind = {
    .size = sizeof(struct owned_slots),
    .keep_names = slot_keep_names,
};

/* The slots of a graph. */
struct slots {
    struct vv_attachment attachment;
    struct vv_pool pool;
    struct vv_map map;
};

static void clear_slots(varve_node *nil, void *self)
{
    struct slots *slots = self;
    (void)nil;
    vv_map_clear(&slots->map);
    vv_pool_clear(&slots->pool);
}

static const struct vv_attachment_kind slots_kind = {
    .size = sizeof(struct slots),
    .release = clear_slots,
};

const struct vv_attachment_kind vv_as_slot_kind = {
    .size = sizeof(struct vv_slot_end),
};
const struct vv_attachment_kind vv_slots_for_kind = {
    .size = sizeof(struct vv_slot_end),
};

static struct slots *slots_of(const varve_graph *graph)
{
    return vv_attachment_find(&graph->nil, &slots_kind);
}

/* Returns the slots of a graph, allocating them if needed, or NULL if out of
 * memory. */
static struct slots *slot_make_slots(varve_graph *graph)
{
    const varve_allocator *a = &graph->context.allocator;
    struct slots *slots = vv_attachment_make(&graph->nil, &slots_kind);
    if (slots && !slots->map.allocator) {
        vv_pool_init(&slots->pool, a, sizeof(struct vv_slot));
        vv_map_init(&slots->map, a);
    }
    return slots;
}

struct slot_key {
    const varve_node *owner;
    const varve_node *variable;
    const struct vv_name *name;
};

static bool is_slot(const void *item, const void *key)
{
    const struct vv_slot *slot = item;
    const struct slot_key *wanted = key;
    return slot->owner == wanted->owner &&
           slot->public.variable == wanted->variable &&
           slot->name == wanted->name;
}

static uint64_t slot_hash(const struct slot_key *key)
{
    uint64_t hash = vv_map_mix((uint64_t)(uintptr_t)key->owner);
    hash = vv_map_mix(hash + (uint64_t)(uintptr_t)key->variable);
    return vv_map_mix(hash + (uint64_t)(uintptr_t)key->name);
}

struct vv_slot *vv_slot_find(const varve_node *owner,
    const varve_node *variable, const struct vv_name *name)
{
    struct slot_key key = { owner, variable, name };
    const struct slots *slots = slots_of(owner->graph);
    return slots ? vv_map_find(&slots->map, slot_hash(&key), is_slot, &key)
                 : NULL;
}

struct vv_slot *vv_slot_first_of(const varve_node *owner)
{
    const struct owned_slots *owned = vv_attachment_find(owner, &owned_kind);
    return owned ? owned->first : NULL;
}

/* Links a slot. Its owner, variable and node must have their attachments. */
static void slot_link_slot(struct vv_slot *slot)
{
    struct owned_slots *owned = vv_attachment_find(slot->owner, &owned_kind);
    struct vv_slot_end *on =
        vv_attachment_find(slot->public.variable, &vv_slots_for_kind);
    struct vv_slot_end *as =
        vv_attachment_find(slot->public.node, &vv_as_slot_kind);
    slot->previous = owned->last;
    if (owned->last)
        owned->last->next = slot;
    else
        owned->first = slot;
    owned->last = slot;
    slot->next_on = on->slot;
    if (slot->next_on)
        slot->next_on->previous_on = slot;
    on->slot = slot;
    as->slot = slot;
}

static bool make_ends(varve_node *owner, varve_node *variable, varve_node *node)
{
    return vv_attachment_make(owner, &owned_kind) &&
           vv_attachment_make(variable, &vv_slots_for_kind) &&
           vv_attachment_make(node, &vv_as_slot_kind);
}

/* Makes a slot and adds it to the map. Returns NULL if out of memory. */
static struct vv_slot *slot_make_slot(const struct slot_key *key)
{
    struct slots *slots = slot_make_slots(key->owner->graph);
    struct vv_slot *slot = slots ? vv_pool_take(&slots->pool) : NULL;
    if (slot && !vv_map_add(&slots->map, slot_hash(key), slot)) {
        vv_pool_give(&slots->pool, slot);
        return NULL;
    }
    return slot;
}

varve_node *vv_slot_attach(
    varve_node *owner, varve_node *variable, const char *name, varve_node *node)
{
    varve_graph *graph = owner->graph;
    if (vv_is_nil(node))
        return node;
    const struct slot_key key = { owner, variable,
        vv_names_intern(&graph->names, name, strlen(name)) };
    struct vv_slot *slot = key.name && make_ends(owner, variable, node)
                               ? slot_make_slot(&key)
                               : NULL;
    if (!slot) {
        vv_node_free(node);
        return vv_graph_memory_error(graph);
    }
    slot->owner = owner;
    slot->name = key.name;
    slot->public = (varve_slot){
        .name = key.name->bytes, .variable = variable, .node = node
    };
    slot_link_slot(slot);
    for (struct vv_observer *o = vv_graph_listener(graph); o; o = o->older) {
        if (o->slot_added)
            o->slot_added(o, slot);
    }
    return node;
}

varve_node *varve_find_slot(
    varve_node *owner, varve_node *variable, const char *name)
{
    owner = vv_or_nil(owner);
    variable = vv_or_nil(variable);
    const struct vv_name *known =
        vv_is_nil(owner) || !name
            ? NULL
            : vv_names_find(&owner->graph->names, name, strlen(name));
    struct vv_slot *slot = known ? vv_slot_find(owner, variable, known) : NULL;
    return slot ? slot->public.node : NULL;
}

static void unlink_slot(struct vv_slot *slot)
{
    struct owned_slots *owned = vv_attachment_find(slot->owner, &owned_kind);
    struct vv_slot_end *on =
        vv_attachment_find(slot->public.variable, &vv_slots_for_kind);
    if (slot->next)
        slot->next->previous = slot->previous;
    else
        owned->last = slot->previous;
    if (slot->previous)
        slot->previous->next = slot->next;
    else
        owned->first = slot->next;
    if (slot->next_on)
        slot->next_on->previous_on = slot->previous_on;
    if (slot->previous_on)
        slot->previous_on->next_on = slot->next_on;
    else
        on->slot = slot->next_on;
    vv_attachment_drop(slot->public.node, &vv_as_slot_kind);
}

void vv_slot_remove(struct vv_slot *slot)
{
    varve_graph *graph = slot->owner->graph;
    struct slots *slots = slots_of(graph);
    struct slot_key key = { slot->owner, slot->public.variable, slot->name };
    varve_node *node = slot->public.node;
    vv_map_remove(&slots->map, slot_hash(&key), slot);
    unlink_slot(slot);
    vv_pool_give(&slots->pool, slot);
    vv_edge_notify_removed(graph, node);
}

const varve_slot *varve_slot_first(const varve_node *owner)
{
    owner = vv_or_nil(owner);
    struct vv_slot *slot = vv_slot_first_of(owner);
    return slot ? &slot->public : NULL;
}

const varve_slot *varve_slot_next(const varve_slot *slot)
{
    const struct vv_slot *next =
        slot ? ((const struct vv_slot *)slot)->next : NULL;
    return next ? &next->public : NULL;
}
