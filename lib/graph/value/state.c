/* state.c - Calls the callbacks that save and load custom states.
 *
 * SPDX-License-Identifier: MIT
 */
#include "state.h"

#include <stdio.h>

#include "edge.h"
#include "graph.h"

void varve_put(varve_sink *sink, const void *bytes, size_t size)
{
    vv_buffer_add(&sink->bytes, bytes, size);
}

static void state_release(varve_node *node, void *self)
{
    const struct vv_node_state *state = self;
    if (state->guard)
        state->guard->release(state->guard, &node->graph->context.allocator);
}

const struct vv_attachment_kind vv_state_kind = {
    .size = sizeof(struct vv_node_state),
    .release = state_release,
};

varve_node *vv_state_new(
    varve_graph *graph, const varve_state_callbacks *callbacks, void *self)
{
    varve_node *node = vv_node_new(graph, VARVE_STATE);
    if (vv_is_nil(node))
        return node;
    struct vv_node_state *state = vv_attachment_make(node, &vv_state_kind);
    if (!state) {
        vv_node_free(node);
        return vv_graph_memory_error(graph);
    }
    state->callbacks = *callbacks;
    state->self = self;
    return node;
}

varve_node *varve_add_state(varve_node *parent, const char *name,
    const varve_state_callbacks *callbacks, void *self)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &parent->graph->nil;
    if (!callbacks || !callbacks->save || !callbacks->load) {
        return vv_graph_error(parent->graph, VARVE_MISUSE,
            "%s: the save or the load callback is NULL",
            name ? name : "list element");
    }
    varve_node *node = vv_state_new(parent->graph, callbacks, self);
    if (vv_is_nil(node))
        return node;
    node->value_state = VARVE_INITIALIZED;
    return vv_edge_attach(parent, name, node);
}

/* The reason of a guard is reported once. */
static varve_status state_fail(const struct vv_node_state *state,
    const char *where, varve_status status, const char *call, const char *after,
    varve_error *error)
{
    struct vv_state_guard *guard = state->guard;
    if (!guard || !guard->failure.status)
        return vv_fail(error, vv_status_of_callback(status),
            "%s: its %s callback failed with %s%s", where, call,
            varve_status_name(status), after);
    const varve_error reason = guard->failure;
    guard->failure.status = VARVE_OK;
    return vv_fail_because(error, &reason, "%s", where);
}

varve_status vv_state_save(varve_node *node, const char *where,
    struct vv_buffer *bytes, varve_error *error)
{
    const struct vv_node_state *state = vv_state_of(node);
    varve_sink sink = { .bytes = *bytes };
    enum vv_hold older = vv_graph_hold(node->graph, VV_HOLDS_ALL);
    varve_status status = state->callbacks.save(state->self, &sink);
    vv_graph_let_go(node->graph, older);
    *bytes = sink.bytes;
    if (bytes->failed)
        return vv_fail_memory(error, "the bytes of a state");
    if (!status)
        return VARVE_OK;
    if (state->explain && status != VARVE_NO_MEMORY) {
        state->explain(state->self, where, NULL, 0, error);
        return VARVE_CALLBACK;
    }
    return state_fail(state, where, status, "save", "", error);
}

varve_status vv_state_load(varve_node *node, const char *where,
    const void *bytes, size_t size, varve_error *error)
{
    const struct vv_node_state *state = vv_state_of(node);
    enum vv_hold older = vv_graph_hold(node->graph, VV_HOLDS_NODES);
    varve_status status =
        state->callbacks.load(state->self, bytes ? bytes : "", size);
    vv_graph_let_go(node->graph, older);
    if (!status)
        return VARVE_OK;
    if (state->explain && status != VARVE_NO_MEMORY) {
        state->explain(state->self, where, bytes ? bytes : "", size, error);
        return VARVE_CALLBACK;
    }
    char after[64];
    snprintf(after, sizeof after, " on %zu bytes", size);
    return state_fail(state, where, status, "load", after, error);
}

/* --- Guards --------------------------------------------------------------- */

varve_status vv_state_check(
    varve_node *node, const void *bytes, size_t size, varve_error *error)
{
    const struct vv_node_state *state = vv_state_of(node);
    char text[256];
    if (!state || !state->guard)
        return VARVE_OK;
    enum vv_hold older = vv_graph_hold(node->graph, VV_HOLDS_ALL);
    varve_status status = state->guard->check(state->guard,
        vv_node_text(node, text, sizeof text), bytes ? bytes : "", size, error);
    vv_graph_let_go(node->graph, older);
    return status;
}

varve_status vv_state_sync(varve_node *node, varve_error *error)
{
    const struct vv_node_state *state = vv_state_of(node);
    char text[256];
    return state && state->guard
               ? state->guard->sync(
                     state->guard, vv_node_text(node, text, sizeof text), error)
               : VARVE_OK;
}
