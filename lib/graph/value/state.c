/* state.c - calling the program's own code for its own bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "state.h"

#include "edge.h"
#include "graph.h"

void varve_put(varve_sink *sink, const void *bytes, size_t size)
{
    vv_buffer_add(&sink->bytes, bytes, size);
}

const struct vv_attachment_kind vv_state_kind = { .size = sizeof(
                                                      struct vv_node_state) };

varve_node *vv_state_new(
    varve_graph *graph, const varve_state_callbacks *callbacks, void *self)
{
    varve_node *node = vv_node_new(graph, VARVE_STATE);
    if (vv_is_nil(node))
        return node;
    struct vv_node_state *state = vv_attachment_make(node, &vv_state_kind);
    if (!state) {
        vv_node_free(node);
        return vv_memory_mistake(graph);
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
        return vv_mistake(parent->graph, VARVE_MISUSE,
            "%s: expected a save and a load callback, found none",
            name ? name : "list element");
    }
    varve_node *node = vv_state_new(parent->graph, callbacks, self);
    if (vv_is_nil(node))
        return node;
    node->value_state = VARVE_INITIALIZED;
    return vv_edge_attach(parent, name, node);
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
    if (status) {
        return vv_fail(error, vv_status_of_callback(status),
            "%s: its save callback failed with %s", where,
            varve_status_name(status));
    }
    return VARVE_OK;
}

varve_status vv_state_load(varve_node *node, const char *where,
    const void *bytes, size_t size, varve_error *error)
{
    const struct vv_node_state *state = vv_state_of(node);
    enum vv_hold older = vv_graph_hold(node->graph, VV_HOLDS_NODES);
    varve_status status =
        state->callbacks.load(state->self, bytes ? bytes : "", size);
    vv_graph_let_go(node->graph, older);
    if (status) {
        return vv_fail(error, vv_status_of_callback(status),
            "%s: its load callback failed with %s on %zu bytes", where,
            varve_status_name(status), size);
    }
    return VARVE_OK;
}
