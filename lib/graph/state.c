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
    varve_node *node = vv_node_new(parent->graph, VARVE_STATE);
    if (vv_is_nil(node))
        return node;
    struct vv_extra *extra = vv_node_extra(node);
    if (!extra) {
        vv_node_free(node);
        return vv_memory_mistake(parent->graph);
    }
    extra->callbacks = *callbacks;
    extra->self = self;
    node->value_state = VARVE_INITIALIZED;
    return vv_edge_attach(parent, name, node);
}

void varve_set_on_demand(
    varve_node *node, varve_on_demand *callback, void *user)
{
    node = vv_or_nil(node);
    if (!vv_node_takes_children(node, "on demand"))
        return;
    struct vv_extra *extra = vv_node_extra(node);
    if (!extra) {
        vv_memory_mistake(node->graph);
        return;
    }
    extra->on_demand = callback;
    extra->on_demand_user = user;
    if (callback)
        vv_node_notify_changed(node);
}

varve_status vv_state_save(varve_node *node, const char *where,
    struct vv_buffer *bytes, varve_error *error)
{
    const struct vv_extra *extra = node->extra;
    varve_sink sink = { .bytes = *bytes };
    enum vv_hold older = vv_graph_hold(node->graph, VV_HOLDS_ALL);
    varve_status status = extra->callbacks.save(extra->self, &sink);
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
    const struct vv_extra *extra = node->extra;
    enum vv_hold older = vv_graph_hold(node->graph, VV_HOLDS_NODES);
    varve_status status =
        extra->callbacks.load(extra->self, bytes ? bytes : "", size);
    vv_graph_let_go(node->graph, older);
    if (status) {
        return vv_fail(error, vv_status_of_callback(status),
            "%s: its load callback failed with %s on %zu bytes", where,
            varve_status_name(status), size);
    }
    return VARVE_OK;
}
