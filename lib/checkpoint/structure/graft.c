/* graft.c - Copies a subgraph, with its values, into another graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/structure.h>

#include <string.h>

#include "allocator.h"
#include "edge.h"
#include "failure.h"
#include "graph.h"
#include "opaque.h"
#include "replica.h"
#include "at_risk.h"
#include "state.h"
#include "try.h"
#include "value_bytes.h"
#include "variable.h"

struct grafting {
    varve_graph *graph;
    struct vv_walk walk;
    struct vv_buffer **states; /* the saved bytes of each state, by place in
                                  the walk */
    struct vv_replica replica;
};

/* --- States ------------------------------------------------------------- */

static varve_status save_states(struct grafting *g, varve_error *error)
{
    g->states = vv_allocate_zeroed(
        g->walk.allocator, g->walk.count * sizeof *g->states);
    if (!g->states || !vv_opaque_watch(g->graph))
        return vv_fail_memory(error, "the states of a graft");
    for (size_t i = 0; i < g->walk.count; i++) {
        varve_node *node = g->walk.steps[i].node;
        char text[256];
        VV_TRY(vv_check_whole(node, error));
        if (node->kind != VARVE_STATE)
            continue;
        g->states[i] = vv_opaque_new(g->graph);
        if (!g->states[i])
            return vv_fail_memory(error, "a state of a graft");
        VV_TRY(vv_state_save(
            node, vv_node_text(node, text, sizeof text), g->states[i], error));
    }
    return VARVE_OK;
}

/* Moves the saved bytes of a state to the caller, which owns them. */
static void *graft_take_state(void *user, const varve_node *node)
{
    struct grafting *g = user;
    struct vv_buffer **place = &g->states[vv_walk_place(&g->walk, node)];
    struct vv_buffer *bytes = *place;
    *place = NULL;
    return bytes;
}

static void free_states(struct grafting *g)
{
    for (size_t i = 0; g->states && i < g->walk.count; i++)
        vv_opaque_free(g->graph, g->states[i]);
    vv_release(g->walk.allocator, g->states, g->walk.count * sizeof *g->states);
}

/* --- Values ------------------------------------------------------------- */

static bool copy_strings(varve_node *to, const varve_tensor *from)
{
    const varve_allocator *a = &to->graph->context.allocator;
    const varve_string *strings = from->data;
    varve_string *copies = to->variable->tensor.data;
    uint64_t count = varve_tensor_count(from);
    size_t size = 0;
    for (uint64_t i = 0; i < count; i++)
        size += (size_t)strings[i].size;
    char *bytes = vv_allocate(a, size);
    if (size && !bytes)
        return false;
    vv_variable_keep_strings(to, bytes, size);
    for (uint64_t i = 0; i < count; i++) {
        copies[i] = (varve_string){ bytes, strings[i].size };
        if (strings[i].size)
            memcpy(bytes, strings[i].data, (size_t)strings[i].size);
        if (bytes)
            bytes += strings[i].size;
    }
    return true;
}

static varve_status copy_values(struct grafting *g, varve_error *error)
{
    for (size_t i = 0; i < g->walk.count; i++) {
        const varve_node *from = g->walk.steps[i].node;
        varve_node *to = g->replica.nodes[i];
        size_t size;
        if (!from->variable || !vv_variable_has_memory(from) ||
            (size = (size_t)varve_tensor_size(&from->variable->tensor)) == 0)
            continue;
        if (from->variable->tensor.dtype != VARVE_STRING)
            VV_TRY(vv_value_out(from, 0, varve_data(to), size, error));
        else if (!copy_strings(to, &from->variable->tensor))
            return vv_fail_memory(error, "strings of a copied subgraph");
    }
    return VARVE_OK;
}

/* --- All ---------------------------------------------------------------- */

static varve_status graft_copy(struct grafting *g, varve_error *error)
{
    const struct vv_replica_values values = {
        .callbacks = vv_opaque_callbacks, .state = graft_take_state, .user = g
    };
    VV_TRY(save_states(g, error));
    VV_TRY(vv_replica_make(&g->replica, g->graph, &g->walk, &values, error));
    enum vv_hold older = vv_graph_hold(g->walk.graph, VV_HOLDS_ALL);
    varve_status status = copy_values(g, error);
    vv_graph_let_go(g->walk.graph, older);
    return status;
}

static varve_status graft(struct grafting *g, varve_node *parent,
    const char *name, varve_node **made, varve_error *error)
{
    varve_status status = graft_copy(g, error);
    if (!status)
        *made = varve_track(parent, name, g->replica.nodes[0]);
    if (g->replica.nodes)
        vv_replica_clear(&g->replica);
    return status ? status : varve_graph_check(g->graph, error);
}

varve_node *varve_copy_subgraph(
    varve_node *parent, const char *name, varve_node *from, varve_error *error)
{
    varve_node *made = NULL;
    if (vv_node_check(parent, error) || vv_node_check(from, error))
        return NULL;
    if (!vv_node_takes_children(parent, name))
        return varve_graph_check(parent->graph, error), NULL;
    struct grafting g = { .graph = parent->graph };
    if (vv_walk_begin(&g.walk, from, error))
        return NULL;
    varve_status status = graft(&g, parent, name, &made, error);
    free_states(&g);
    vv_walk_end_in_place(&g.walk);
    return status ? NULL : made;
}
