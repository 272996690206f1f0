/* slot.c - making, finding and removing slot variables.
 *
 * SPDX-License-Identifier: MIT
 */
#include "slot.h"

#include <string.h>

#include "attachment.h"
#include "edge.h"
#include "graph.h"
#include "name.h"
#include "shape.h"
#include "slice.h"
#include "variable.h"

/* Of an owner. */
struct owned_slots {
    struct vv_attachment attachment;
    struct vv_slot *first;
    struct vv_slot *last;
};

static size_t keep_names(const void *self)
{
    const struct owned_slots *owned = self;
    size_t count = 0;
    for (const struct vv_slot *s = owned->first; s; s = s->next, count++)
        vv_name_keep(s->name);
    return count;
}

static const struct vv_attachment_kind owned_kind = {
    .size = sizeof(struct owned_slots),
    .keep_names = keep_names,
};

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
    return vv_map_find(&owner->graph->slot_map, slot_hash(&key), is_slot, &key);
}

struct vv_slot *vv_slot_first_of(const varve_node *owner)
{
    const struct owned_slots *owned = vv_attachment_find(owner, &owned_kind);
    return owned ? owned->first : NULL;
}

/* Whether a slot of that name can be made; if not, a mistake. */
static bool may_add(varve_node *owner, varve_node *variable, const char *name)
{
    varve_graph *graph = owner->graph;
    char text[256];
    if (!vv_node_takes_children(owner, name) ||
        !vv_graph_may_change(owner, VV_HOLDS_ALL))
        return false;
    const char *where = vv_node_text(owner, text, sizeof text);
    if (variable->kind != VARVE_VARIABLE || variable->graph != graph ||
        vv_as_slot(variable)) {
        vv_mistake(graph, VARVE_MISUSE,
            "%s: a slot is for an ordinary variable of the same graph, found "
            "another node",
            where);
        return false;
    }
    if (!name || !vv_name_is_valid(name, strlen(name))) {
        vv_mistake(graph, VARVE_BAD_NAME,
            "%s: a slot's name is 1 to %d bytes of UTF-8, found another", where,
            VARVE_MAX_NAME_SIZE);
        return false;
    }
    if (varve_find_slot(owner, variable, name)) {
        vv_mistake(graph, VARVE_DUPLICATE,
            "%s: expected a new slot, found \"%.200s\" of this variable a "
            "second time",
            where, name);
        return false;
    }
    return true;
}

static void link_slot(struct vv_slot *slot)
{
    struct owned_slots *owned = vv_attachment_find(slot->owner, &owned_kind);
    struct vv_variable_extra *on = slot->public.variable->variable->extra;
    slot->previous = owned->last;
    if (owned->last)
        owned->last->next = slot;
    else
        owned->first = slot;
    owned->last = slot;
    slot->next_on = on->first_slot;
    if (slot->next_on)
        slot->next_on->previous_on = slot;
    on->first_slot = slot;
    slot->public.node->variable->extra->as_slot = slot;
}

static varve_node *add(struct slot_key *key, varve_node *node)
{
    varve_graph *graph = key->owner->graph;
    struct vv_slot *slot = vv_pool_take(&graph->slots);
    if (!slot || !vv_map_add(&graph->slot_map, slot_hash(key), slot)) {
        if (slot)
            vv_pool_give(&graph->slots, slot);
        vv_node_free(node);
        return vv_memory_mistake(graph);
    }
    slot->owner = (varve_node *)key->owner;
    slot->name = key->name;
    slot->public = (varve_slot){ .name = key->name->bytes,
        .variable = (varve_node *)key->variable,
        .node = node };
    link_slot(slot);
    for (struct vv_observer *o = graph->newest; o; o = o->older) {
        if (o->slot_added)
            o->slot_added(o, slot);
    }
    return node;
}

varve_node *vv_slot_attach(
    varve_node *owner, varve_node *variable, const char *name, varve_node *node)
{
    varve_graph *graph = owner->graph;
    if (vv_is_nil(node))
        return node;
    const struct vv_name *kept =
        vv_names_intern(&graph->names, name, strlen(name));
    if (!kept || !vv_attachment_make(owner, &owned_kind) ||
        !vv_variable_extra(variable) || !vv_variable_extra(node)) {
        vv_node_free(node);
        return vv_memory_mistake(graph);
    }
    struct slot_key key = { owner, variable, kept };
    return add(&key, node);
}

varve_node *varve_add_slot(varve_node *owner, varve_node *variable,
    const char *name, varve_tensor view)
{
    owner = vv_or_nil(owner);
    variable = vv_or_nil(variable);
    if (!may_add(owner, variable, name))
        return &owner->graph->nil;
    return vv_slot_attach(
        owner, variable, name, vv_variable_new(owner, name, view, false));
}

/* Of a library-owned variable, whose value follows. */
static varve_node *add_owned(
    varve_node *owner, varve_node *variable, const char *name, varve_node *node)
{
    node = vv_slot_attach(owner, variable, name, node);
    if (!vv_is_nil(node))
        vv_variable_begin(node);
    return node;
}

varve_node *varve_add_allocated_slot(varve_node *owner, varve_node *variable,
    const char *name, varve_dtype dtype, varve_shape shape,
    varve_initializer *initializer, void *user)
{
    owner = vv_or_nil(owner);
    variable = vv_or_nil(variable);
    if (!may_add(owner, variable, name))
        return &owner->graph->nil;
    varve_node *node =
        vv_variable_new(owner, name, varve_view(NULL, dtype, shape), true);
    if (!vv_is_nil(node))
        vv_variable_set_initializer(node, initializer, user);
    return add_owned(owner, variable, name, node);
}

varve_node *varve_add_slot_like(varve_node *owner, varve_node *variable,
    const char *name, varve_initializer *initializer, void *user)
{
    owner = vv_or_nil(owner);
    variable = vv_or_nil(variable);
    if (!may_add(owner, variable, name))
        return &owner->graph->nil;
    varve_tensor like = vv_tensor_copy(&variable->variable->tensor);
    varve_node *node =
        vv_slice_new(owner, name, like, varve_slice_of(variable), true);
    if (!vv_is_nil(node))
        vv_variable_set_initializer(node, initializer, user);
    return add_owned(owner, variable, name, node);
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

void vv_slot_remove(struct vv_slot *slot)
{
    varve_graph *graph = slot->owner->graph;
    struct owned_slots *owned = vv_attachment_find(slot->owner, &owned_kind);
    struct slot_key key = { slot->owner, slot->public.variable, slot->name };
    vv_map_remove(&graph->slot_map, slot_hash(&key), slot);
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
        slot->public.variable->variable->extra->first_slot = slot->next_on;
    varve_node *node = slot->public.node;
    node->variable->extra->as_slot = NULL;
    vv_pool_give(&graph->slots, slot);
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
