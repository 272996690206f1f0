/* resizing.c - Allocates memory for values with other shapes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "resizing.h"

#include "allocator.h"
#include "edge.h"
#include "failure.h"
#include "graph.h"
#include "slice.h"
#include "try.h"
#include "typed_memory.h"

/* --- Checks ------------------------------------------------------------- */

const struct vv_attachment_kind vv_resizing_kind = {
    .size = sizeof(struct vv_resizing),
};

bool vv_takes_shape(const varve_node *node, const varve_tensor *coming)
{
    const struct vv_resizing *r = vv_resizing_of(node);
    return r &&
           (r->is_always || !vv_shape_equal(&node->variable->tensor, coming) ||
               vv_variable_is_null(node->variable));
}

static bool may_resize(varve_node *node, const varve_resizing *resizing)
{
    char text[256];
    bool is_owned = node->variable && vv_variable_is_owned(node->variable);
    if (!node->variable || varve_slice_of(node)) {
        vv_graph_error(node->graph, VARVE_MISUSE,
            "%s: not a variable, or a shard, which cannot be resized",
            vv_node_text(node, text, sizeof text));
        return false;
    }
    if (resizing && (!resizing->make_room || !resizing->settle) != is_owned) {
        vv_graph_error(node->graph, VARVE_MISUSE, "%s: %s",
            vv_node_text(node, text, sizeof text),
            is_owned ? "library-owned memory takes no resizing callbacks"
                     : "`make_room` and `settle` must be set");
        return false;
    }
    return true;
}

void varve_set_resizing(
    varve_node *variable, const varve_resizing *resizing, void *user)
{
    varve_node *node = vv_or_nil(variable);
    if (vv_is_nil(node) || !may_resize(node, resizing))
        return;
    if (!resizing) {
        vv_attachment_drop(node, &vv_resizing_kind);
        return;
    }
    struct vv_resizing *own = vv_attachment_make(node, &vv_resizing_kind);
    if (!own) {
        vv_graph_memory_error(node->graph);
        return;
    }
    own->calls = *resizing;
    own->user = user;
    own->is_always = false;
}

void varve_always_resize(varve_node *variable)
{
    varve_node *node = vv_or_nil(variable);
    struct vv_resizing *own = vv_attachment_find(node, &vv_resizing_kind);
    char text[256];
    if (own)
        own->is_always = true;
    else if (!vv_is_nil(node))
        vv_graph_error(node->graph, VARVE_MISUSE,
            "%s: varve_set_resizing has not been called for it",
            vv_node_text(node, text, sizeof text));
}

varve_node *varve_add_resizable(varve_node *parent, const char *name,
    varve_tensor view, const varve_resizing *resizing, void *user)
{
    static const varve_resizing none = { 0 };
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &parent->graph->nil;
    varve_node *node =
        vv_variable_new(parent, name ? name : "list element", view, false);
    varve_set_resizing(node, resizing ? resizing : &none, user);
    return vv_edge_attach(parent, name, node);
}

/* --- Memory ------------------------------------------------------------- */

/* Calls the program, which may only add to the graph. */
static varve_status resizing_query(
    struct vv_resize *room, const varve_tensor *coming, varve_error *error)
{
    char text[256];
    varve_node *node = room->node;
    const struct vv_resizing *r = vv_resizing_of(node);
    enum vv_hold older = vv_graph_hold(node->graph, VV_HOLDS_NODES);
    varve_status status =
        r->calls.make_room(r->user, node, coming, &room->data);
    vv_graph_let_go(node->graph, older);
    bool is_none = !status && !room->data && varve_tensor_size(coming) > 0;
    if (!status && !is_none)
        return VARVE_OK;
    uint64_t count = varve_tensor_count(coming);
    return vv_fail(error,
        status ? vv_status_of_callback(status) : VARVE_CALLBACK,
        "%s: its callback that makes room for %llu element%s %s%s",
        vv_node_text(node, text, sizeof text), (unsigned long long)count,
        vv_plural_s(count), is_none ? "gave none" : "failed with ",
        is_none ? "" : varve_status_name(status));
}

static varve_status resizing_allocate(
    struct vv_resize *room, const varve_tensor *coming, varve_error *error)
{
    size_t size = (size_t)varve_tensor_size(coming);
    room->data = vv_allocate_value(&room->node->graph->context.allocator, size);
    return room->data || size == 0
               ? VARVE_OK
               : vv_fail_memory(error, "the value of a variable");
}

varve_status vv_resize_prepare(struct vv_resize *room, varve_node *node,
    const varve_tensor *coming, varve_error *error)
{
    varve_tensor view = vv_tensor_copy(coming);
    *room = (struct vv_resize){ .node = node };
    view.dtype = node->variable->tensor.dtype;
    view.data = NULL;
    room->other = vv_variable_like(node, &view);
    if (!room->other)
        return vv_fail_memory(error, "a variable");
    varve_status status = vv_variable_is_owned(node->variable)
                              ? resizing_allocate(room, &view, error)
                              : resizing_query(room, &view, error);
    if (status)
        vv_variable_give(node->graph, room->other);
    else
        room->other->tensor.data = room->data;
    return status;
}

void vv_resize_exchange(struct vv_resize *room)
{
    struct vv_variable *other = room->node->variable;
    room->node->variable = room->other;
    room->node->graph->has_new_views |=
        !vv_variable_is_owned(room->node->variable);
    room->other = other;
    room->is_taken = !room->is_taken;
}

/* Frees the unused memory and the unused `other`. Both variables share their
 * extra data, which is kept. */
void vv_resize_settle(struct vv_resize *room)
{
    varve_node *node = room->node;
    const struct vv_resizing *r = vv_resizing_of(node);
    if (vv_variable_is_owned(node->variable)) {
        if (!room->is_taken)
            room->other->tensor.data = room->data;
        vv_variable_release(node, room->other, room->is_taken);
    }
    vv_variable_give(node->graph, room->other);
    if (vv_variable_is_owned(node->variable) || !r)
        return;
    if (room->is_taken) /* until its struct, if it has one, leads to it */
        node->is_elsewhere = true;
    enum vv_hold older = vv_graph_hold(node->graph, VV_HOLDS_NODES);
    r->calls.settle(r->user, node, room->data, room->is_taken);
    vv_graph_let_go(node->graph, older);
}
