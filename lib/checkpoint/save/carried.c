/* carried.c - Creates temporary nodes for pending values, links them without
 * notifying observers, and removes them again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "carried.h"

#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "graph.h"
#include "memory_table.h"
#include "node.h"
#include "node_names.h"
#include "slice.h"
#include "state.h"
#include "touch.h"
#include "try.h"
#include "typed_memory.h"
#include "variable.h"

/* Attached to each node that was added. */
struct carried_node {
    struct vv_attachment attachment;
    struct vv_carried_value at;
    bool has_value;
};

static const struct vv_attachment_kind carried_kind = {
    .size = sizeof(struct carried_node),
};

/* A state of the program whose callbacks are replaced during the save, with its
 * original callbacks. */
struct held {
    varve_node *node;
    varve_state_callbacks callbacks;
    void *self;
    struct vv_carried_value value;
};

struct conflict {
    varve_node *in_the_way;
    struct vv_carried_source *source;
    uint32_t node;
};

static const struct carried_node *carried_of(const varve_node *node)
{
    return vv_attachment_find(node, &carried_kind);
}

const struct vv_carried_value *vv_carried_value_of(const varve_node *node)
{
    const struct carried_node *carried = carried_of(node);
    return carried && carried->has_value ? &carried->at : NULL;
}

const struct vv_carried_source *vv_carried_source_of(const varve_node *node)
{
    const struct carried_node *carried = carried_of(node);
    return carried ? carried->at.source : NULL;
}

/* --- Values --------------------------------------------------------------- */

/* For code that copies out a value without using the save plan. */
static varve_status carried_copy_out(
    void *self, uint64_t at, void *bytes, size_t size)
{
    const struct vv_carried_value *v = self;
    varve_status status =
        v->source->read(v->source, v->value, at, bytes, size, NULL);
    if (!status && VV_BIG_ENDIAN)
        vv_dtype_swap_copy(
            v->dtype, bytes, bytes, size / varve_dtype_size(v->dtype));
    return status;
}

enum { STATE_PART = 1 << 20 };

static varve_status carried_save_state(void *self, varve_sink *sink)
{
    const struct vv_carried_value *v = self;
    varve_status status = VARVE_OK;
    for (uint64_t at = 0; at < v->size && !status; at += STATE_PART) {
        size_t size =
            v->size - at < STATE_PART ? (size_t)(v->size - at) : STATE_PART;
        void *bytes = vv_buffer_extend(&sink->bytes, size);
        if (!bytes)
            return VARVE_NO_MEMORY;
        status = v->source->read(
            v->source, v->value, at, bytes, size, &v->carried->failure);
    }
    return status;
}

static bool set_strings(
    varve_node *node, char *bytes, uint64_t size, varve_string *strings)
{
    uint64_t count = varve_tensor_count(&node->variable->tensor);
    uint64_t at = 8 * count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length = vv_load64((const uint8_t *)bytes + 8 * i);
        if (length > size - at)
            return false;
        strings[i] = (varve_string){ bytes + at, length };
        at += length;
    }
    return at == size;
}

/* Reads the strings of a value into memory, as the variable must point to
 * them. */
static varve_status carried_read_strings(
    varve_node *node, const struct vv_carried_value *v, varve_error *error)
{
    const varve_allocator *a = &node->graph->context.allocator;
    varve_tensor *tensor = &node->variable->tensor;
    size_t room = (size_t)varve_tensor_size(tensor), size = (size_t)v->size;
    if (room == 0)
        return VARVE_OK;
    if (v->size < 8 * varve_tensor_count(tensor))
        return vv_fail(error, VARVE_CORRUPT,
            "%s: %s: the lengths of its strings do not add up to its size",
            v->source->path, v->source->name(v->source, v->node));
    char *bytes = vv_allocate(a, size);
    if (!bytes)
        return vv_fail_memory(error, "pending strings");
    vv_variable_keep_strings(node, bytes, size);
    VV_TRY(v->source->read(v->source, v->value, 0, bytes, size, error));
    tensor->data = vv_allocate_value(a, room);
    if (!tensor->data)
        return vv_fail_memory(error, "pending strings");
    if (!set_strings(node, bytes, v->size, tensor->data))
        return vv_fail(error, VARVE_CORRUPT,
            "%s: %s: the lengths of its strings do not add up to its size",
            v->source->path, v->source->name(v->source, v->node));
    return VARVE_OK;
}

static varve_status carried_reach(
    varve_node *node, struct vv_carried_value *v, varve_error *error)
{
    varve_tensor *tensor = &node->variable->tensor;
    varve_tensor view = *tensor;
    const varve_memory memory = { .copy_out = carried_copy_out, .self = v };
    if (varve_tensor_size(tensor) == 0)
        return VARVE_OK;
    view.memory = &memory;
    return vv_memory_keep(tensor, &view, &node->graph->context.allocator)
               ? VARVE_OK
               : vv_fail_memory(error, "a pending value");
}

/* --- Nodes ---------------------------------------------------------------- */

static varve_node *carried_make_node(
    struct vv_carried *c, const varve_saved_node *saved)
{
    static const varve_state_callbacks callbacks = { .save =
                                                         carried_save_state };
    if (saved->kind == VARVE_STATE)
        return vv_state_new(c->graph, &callbacks, NULL);
    if (saved->kind != VARVE_VARIABLE)
        return vv_node_new(c->graph, saved->kind);
    return vv_slice_new(varve_graph_root(c->graph), saved->path, saved->value,
        saved->part, true);
}

static varve_status set_value(
    varve_node *node, struct carried_node *carried, varve_error *error)
{
    struct vv_carried_value *v = &carried->at;
    carried->has_value = true;
    node->value_state = VARVE_INITIALIZED;
    vv_touch(node);
    if (node->kind == VARVE_STATE) {
        vv_state_of(node)->self = v;
        return VARVE_OK;
    }
    v->dtype = node->variable->tensor.dtype;
    return v->dtype == VARVE_STRING ? carried_read_strings(node, v, error)
                                    : carried_reach(node, v, error);
}

/* Appends a pointer to a list. Without memory, sets the error of the graph and
 * returns false. */
static bool carried_note(
    struct vv_carried *c, struct vv_buffer *list, void *pointer)
{
    vv_buffer_add(list, &pointer, sizeof pointer);
    if (!list->failed)
        return true;
    list->failed = false;
    vv_graph_memory_error(c->graph);
    return false;
}

varve_node *vv_carried_add_node(struct vv_carried *c,
    const varve_saved_node *saved, const struct vv_carried_value *at,
    bool has_value, varve_error *error)
{
    varve_node *node = carried_make_node(c, saved);
    if (vv_is_nil(node))
        return NULL;
    if (!carried_note(c, &c->nodes, node)) {
        vv_node_free(node);
        return NULL;
    }
    struct carried_node *carried = vv_attachment_make(node, &carried_kind);
    if (!carried) {
        vv_graph_memory_error(c->graph);
        return NULL;
    }
    carried->at = *at;
    carried->at.carried = c;
    node->value_state = VARVE_DECLARED;
    if (has_value && set_value(node, carried, error))
        return NULL;
    if (saved->global_name &&
        !vv_global_name_is_taken(node->graph, saved->global_name))
        varve_set_global_name(node, saved->global_name);
    return node;
}

bool vv_carried_add_edge(struct vv_carried *c, varve_node *parent,
    const char *name, varve_node *child)
{
    struct vv_edge *edge = vv_edge_add_quietly(parent, name, child);
    if (!edge)
        return false;
    if (carried_note(c, &c->edges, edge))
        return true;
    vv_edge_remove(edge);
    return false;
}

bool vv_carried_add_slot(struct vv_carried *c, varve_node *owner,
    varve_node *variable, const char *name, varve_node *node)
{
    if (vv_is_nil(vv_slot_attach(owner, variable, name, node))) {
        c->nodes.size -= sizeof node; /* was freed; it was the last one */
        return false;
    }
    struct vv_slot *slot = vv_as_slot(node);
    if (carried_note(c, &c->slots, slot))
        return true;
    vv_slot_remove(slot);
    return false;
}

/* --- States and conflicts ------------------------------------------------- */

bool vv_carried_hold(struct vv_carried *c, varve_node *state,
    const struct vv_carried_value *value)
{
    const varve_allocator *a = &c->graph->context.allocator;
    struct vv_node_state *s = vv_state_of(state);
    struct held *held = vv_allocate(a, sizeof *held);
    if (!held) {
        vv_graph_memory_error(c->graph);
        return false;
    }
    *held = (struct held){ state, s->callbacks, s->self, *value };
    held->value.carried = c;
    if (!carried_note(c, &c->held, held)) {
        vv_release(a, held, sizeof *held);
        return false;
    }
    s->callbacks.save = carried_save_state;
    s->self = &held->value;
    return true;
}

static void carried_let_go(struct vv_carried *c)
{
    size_t count = c->held.size / sizeof(struct held *);
    struct held **all = (struct held **)(void *)c->held.data;
    for (size_t i = count; i-- > 0;) {
        struct vv_node_state *s = vv_state_of(all[i]->node);
        s->callbacks = all[i]->callbacks;
        s->self = all[i]->self;
        vv_release(&c->graph->context.allocator, all[i], sizeof *all[i]);
    }
    c->held.size = 0;
}

bool vv_carried_conflict(struct vv_carried *c, varve_node *in_the_way,
    struct vv_carried_source *source, uint32_t node)
{
    const struct conflict conflict = { in_the_way, source, node };
    vv_buffer_add(&c->conflicts, &conflict, sizeof conflict);
    if (!c->conflicts.failed)
        return true;
    vv_graph_memory_error(c->graph);
    return false;
}

static varve_status fail_conflict(
    const struct conflict *found, varve_error *error)
{
    char text[256];
    return vv_fail(error, VARVE_MISUSE,
        "%s: a pending value of %s belongs below it, as \"%.300s\", but the "
        "program has something else there: drop it with varve_drop_pending, or "
        "set the write option `pending` to VARVE_PENDING_OMIT",
        vv_node_text(found->in_the_way, text, sizeof text), found->source->path,
        found->source->name(found->source, found->node));
}

static varve_status fail_refused(
    const struct vv_carried_value *v, varve_error *error)
{
    return vv_fail(error, VARVE_MISUSE,
        "%s: \"%.300s\" is pending, and the write option `pending` is "
        "VARVE_PENDING_FAIL: create its variable before the save, drop it with "
        "varve_drop_pending, or leave the option out to save the pending value "
        "too",
        v->source->path, v->source->name(v->source, v->node));
}

varve_status vv_carried_check(const struct vv_carried *c,
    const struct vv_walk *walk, varve_pending_policy policy, varve_error *error)
{
    const struct conflict *conflicts =
        (const struct conflict *)(const void *)c->conflicts.data;
    for (size_t i = 0; i < c->conflicts.size / sizeof *conflicts; i++)
        if (vv_walk_has(walk, conflicts[i].in_the_way))
            return fail_conflict(&conflicts[i], error);
    for (size_t i = 0; i < walk->count && policy == VARVE_PENDING_FAIL; i++) {
        const struct vv_carried_value *v =
            vv_carried_value_of(walk->steps[i].node);
        if (v)
            return fail_refused(v, error);
    }
    struct held *const *held = (struct held *const *)(void *)c->held.data;
    for (size_t i = 0; i < c->held.size / sizeof *held; i++)
        if (policy == VARVE_PENDING_FAIL && vv_walk_has(walk, held[i]->node))
            return fail_refused(&held[i]->value, error);
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

struct vv_carried *vv_carried_new(varve_graph *graph)
{
    const varve_allocator *a = &graph->context.allocator;
    struct vv_carried *c = vv_allocate_zeroed(a, sizeof *c);
    if (!c)
        return NULL;
    c->graph = graph;
    vv_buffer_init(&c->nodes, a);
    vv_buffer_init(&c->edges, a);
    vv_buffer_init(&c->slots, a);
    vv_buffer_init(&c->held, a);
    vv_buffer_init(&c->conflicts, a);
    return c;
}

void vv_carried_add_source(
    struct vv_carried *c, struct vv_carried_source *source)
{
    source->next = c->sources;
    c->sources = source;
}

varve_status vv_carry(
    struct vv_carried *c, varve_graph *from, varve_error *error)
{
    varve_status status = VARVE_OK;
    /* Restrictions on callbacks do not apply here, as all changes are
     * undone. */
    enum vv_hold older = (enum vv_hold)c->graph->held;
    vv_graph_let_go(c->graph, VV_HOLDS_NOTHING);
    vv_graph_be_quiet(c->graph, true);
    for (struct vv_observer *o = from->newest; o && !status; o = o->older)
        if (o->carry)
            status = o->carry(o, c, error);
    vv_graph_be_quiet(c->graph, false);
    vv_graph_let_go(c->graph, older);
    varve_error mistake = { .status = VARVE_OK };
    if (vv_graph_take_error(c->graph, &mistake) && !status) {
        status = mistake.status;
        if (error)
            *error = mistake;
    }
    return status;
}

void vv_carried_unlink(struct vv_carried *c)
{
    struct vv_slot *const *slots =
        (struct vv_slot *const *)(void *)c->slots.data;
    struct vv_edge *const *edges =
        (struct vv_edge *const *)(void *)c->edges.data;
    vv_graph_be_quiet(c->graph, true);
    carried_let_go(c);
    for (size_t i = c->slots.size / sizeof *slots; i-- > 0;)
        vv_slot_remove(slots[i]);
    for (size_t i = c->edges.size / sizeof *edges; i-- > 0;)
        vv_edge_remove(edges[i]);
    varve_node *const *nodes = (varve_node *const *)(void *)c->nodes.data;
    for (size_t i = c->nodes.size / sizeof *nodes; i-- > 0;)
        if (vv_global_name(nodes[i]))
            varve_set_global_name(nodes[i], NULL); /* the name can be used
                                                      again */
    c->slots.size = c->edges.size = c->conflicts.size = 0;
    vv_graph_be_quiet(c->graph, false);
}

void vv_carried_free(struct vv_carried *c)
{
    if (!c)
        return;
    const varve_allocator a = c->graph->context.allocator;
    vv_carried_unlink(c);
    varve_node *const *nodes = (varve_node *const *)(void *)c->nodes.data;
    for (size_t i = c->nodes.size / sizeof *nodes; i-- > 0;)
        vv_node_free(nodes[i]);
    for (struct vv_carried_source *s = c->sources, *next; s; s = next) {
        next = s->next;
        s->release(s);
    }
    vv_buffer_clear(&c->nodes);
    vv_buffer_clear(&c->edges);
    vv_buffer_clear(&c->slots);
    vv_buffer_clear(&c->held);
    vv_buffer_clear(&c->conflicts);
    vv_release(&a, c, sizeof *c);
}
