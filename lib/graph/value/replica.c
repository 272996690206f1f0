/* replica.c - Copies the structure of a graph: first nodes, with slots and
 * their variables, then the edges in the order of the original.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replica.h"

#include "allocator.h"
#include "edge.h"
#include "failure.h"
#include "graph.h"
#include "node_names.h"
#include "private.h"
#include "slice.h"
#include "state.h"
#include "tag.h"
#include "try.h"
#include "typed_memory.h"
#include "variable.h"

struct making {
    struct vv_replica *replica;
    varve_graph *graph;
    const struct vv_walk *walk;
    const struct vv_replica_values *values;
};

static varve_tensor replica_view_of(
    const struct making *m, const varve_node *node)
{
    varve_tensor view = vv_tensor_copy(&node->variable->tensor);
    view.data = NULL;
    view.memory = NULL;
    if (m->values->place)
        m->values->place(m->values->user, node, &view);
    return view;
}

/* Makes a variable, with memory of its own if none is given. */
static varve_node *make_variable(const struct making *m, const varve_node *node)
{
    bool is_owned = !m->values->place;
    varve_node *made = vv_slice_new(varve_graph_root(m->graph), "a copy",
        replica_view_of(m, node), varve_slice_of(node), is_owned);
    if (!vv_is_nil(made) && is_owned && vv_variable_has_memory(node) &&
        !vv_variable_allocate(made))
        vv_graph_memory_error(m->graph);
    return made;
}

static varve_node *replica_make_state(
    const struct making *m, const varve_node *node)
{
    varve_node *made = vv_state_new(m->graph, &m->values->callbacks, NULL);
    struct vv_node_state *state = vv_state_of(made);
    if (state)
        state->self = m->values->state(m->values->user, node);
    if (state && !state->self)
        vv_graph_memory_error(m->graph);
    return made;
}

/* Returns true if the variable is made together with a slot of the walk. */
static bool comes_with_slot(const struct making *m, const varve_node *node)
{
    const struct vv_slot *slot = vv_as_slot(node);
    return slot && vv_walk_has(m->walk, slot->owner) &&
           vv_walk_has(m->walk, slot->public.variable);
}

static varve_node *replica_make_node(
    const struct making *m, const varve_node *node)
{
    if (node->kind == VARVE_STATE)
        return replica_make_state(m, node);
    if (node->kind != VARVE_VARIABLE)
        return vv_node_new(m->graph, (varve_kind)node->kind);
    return make_variable(m, node);
}

static varve_node *counterpart(const struct making *m, const varve_node *node)
{
    return m->replica->nodes[vv_walk_place(m->walk, node)];
}

static void replica_make_nodes(const struct making *m)
{
    for (size_t i = 0; i < m->walk->count; i++) {
        const varve_node *node = m->walk->steps[i].node;
        if (!node->variable || !comes_with_slot(m, node))
            m->replica->nodes[i] = replica_make_node(m, node);
    }
}

static varve_node *replica_make_slot(
    const struct making *m, const struct vv_slot *s)
{
    varve_node *owner = counterpart(m, s->owner);
    varve_node *variable = counterpart(m, s->public.variable);
    return vv_slot_attach(
        owner, variable, s->name->bytes, make_variable(m, s->public.node));
}

/* The variable of a slot is not a slot itself, so it exists already. */
static void replica_make_slots(const struct making *m)
{
    for (size_t i = 0; i < m->walk->slot_count; i++) {
        const struct vv_slot *s = m->walk->slots[i];
        m->replica->nodes[vv_walk_place(m->walk, s->public.node)] =
            replica_make_slot(m, s);
    }
}

static void replica_take_over(
    const struct making *m, const varve_node *from, varve_node *to)
{
    const varve_graph *graph = m->walk->graph;
    to->value_state = from->value_state;
    uint64_t tags = vv_node_tags(from);
    for (unsigned i = 0; tags && i < vv_tag_count(graph); i++)
        if (tags >> i & 1)
            vv_tag(to, vv_tag_name(graph, i)->bytes);
    if (!vv_private_copy(from, to))
        vv_graph_memory_error(m->graph);
    const struct vv_alias *alias = vv_first_alias(from);
    for (; alias; alias = alias->next)
        varve_alias(to, alias->name->bytes);
    for (alias = vv_first_retired(from); alias; alias = alias->next)
        varve_retire(to, alias->name->bytes);
    const char *name = varve_global_name(from);
    if (name && !vv_global_name_is_taken(m->graph, name))
        varve_set_global_name(to, name);
    for (const varve_edge *e = varve_edge_first(from); e;
         e = varve_edge_next(e))
        vv_edge_add(to, from->kind == VARVE_LIST ? VARVE_APPEND : e->name,
            counterpart(m, e->node));
}

static varve_status replica_make(const struct making *m, varve_error *error)
{
    replica_make_nodes(m);
    VV_TRY(varve_graph_check(m->graph, error));
    replica_make_slots(m);
    VV_TRY(varve_graph_check(m->graph, error));
    for (size_t i = 0; i < m->walk->count; i++)
        replica_take_over(m, m->walk->steps[i].node, m->replica->nodes[i]);
    return varve_graph_check(m->graph, error);
}

varve_status vv_replica_make(struct vv_replica *r, varve_graph *graph,
    const struct vv_walk *walk, const struct vv_replica_values *values,
    varve_error *error)
{
    const struct making m = { r, graph, walk, values };
    *r = (struct vv_replica){
        .allocator = &graph->context.allocator,
        .graph = graph,
        .count = walk->count,
    };
    r->nodes = vv_allocate_zeroed(r->allocator, walk->count * sizeof *r->nodes);
    if (!r->nodes)
        return vv_fail_memory(error, "a copy of a graph");
    varve_status status = replica_make(&m, error);
    if (status)
        vv_replica_clear(r);
    return status;
}

void vv_replica_clear(struct vv_replica *r)
{
    vv_release(r->allocator, r->nodes, r->count * sizeof *r->nodes);
    r->nodes = NULL;
    r->count = 0;
}
