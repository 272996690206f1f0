/* add_slot.c - Makes slot variables.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/variable.h>

#include <string.h>

#include "edge.h"
#include "graph.h"
#include "name.h"
#include "slice.h"
#include "slot.h"
#include "typed_memory.h"
#include "variable.h"

/* Records that a node is not a variable that can have slots. `where` is the
 * path of the owner. */
static void add_slot_refuse(varve_graph *graph, const char *where,
    const char *name, const varve_node *node)
{
    char text[256];
    const char *path = vv_node_text(node, text, sizeof text);
    name = name ? name : "";
    if (vv_is_nil(node))
        vv_graph_error(graph, VARVE_MISUSE,
            "%s: slot \"%.200s\": the variable is NULL or could not be "
            "created",
            where, name);
    else if (node->graph != graph)
        vv_graph_error(graph, VARVE_MISUSE,
            "%s: slot \"%.200s\": %s is in another graph", where, name, path);
    else if (vv_as_slot(node))
        vv_graph_error(graph, VARVE_MISUSE,
            "%s: slot \"%.200s\": %s is a slot, not an ordinary variable",
            where, name, path);
    else
        vv_graph_error(graph, VARVE_MISUSE,
            "%s: slot \"%.200s\": %s is %s, not a variable", where, name, path,
            vv_kind_text(node->kind));
}

/* Returns true if a slot with this name can be added. Otherwise records an
 * error. */
static bool add_slot_may_add(
    varve_node *owner, varve_node *variable, const char *name)
{
    varve_graph *graph = owner->graph;
    char text[256];
    if (!vv_node_takes_children(owner, name) ||
        !vv_graph_may_change(owner, VV_HOLDS_ALL))
        return false;
    const char *where = vv_node_text(owner, text, sizeof text);
    if (variable->kind != VARVE_VARIABLE || variable->graph != graph ||
        vv_as_slot(variable)) {
        add_slot_refuse(graph, where, name, variable);
        return false;
    }
    if (!name || !vv_name_is_valid(name, strlen(name))) {
        vv_graph_error(graph, VARVE_BAD_NAME,
            "%s: a slot's name must be 1 to %d bytes of UTF-8", where,
            VARVE_MAX_NAME_SIZE);
        return false;
    }
    if (varve_find_slot(owner, variable, name)) {
        vv_graph_error(graph, VARVE_DUPLICATE,
            "%s: duplicate slot \"%.200s\" of this variable", where, name);
        return false;
    }
    return true;
}

varve_node *varve_add_slot(varve_node *owner, varve_node *variable,
    const char *name, varve_tensor view)
{
    owner = vv_or_nil(owner);
    variable = vv_or_nil(variable);
    if (!add_slot_may_add(owner, variable, name))
        return &owner->graph->nil;
    return vv_slot_attach(
        owner, variable, name, vv_variable_new(owner, name, view, false));
}

/* Attaches a library-owned variable as a slot and begins its value. */
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
    if (!add_slot_may_add(owner, variable, name))
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
    if (!add_slot_may_add(owner, variable, name))
        return &owner->graph->nil;
    varve_tensor like = vv_tensor_copy(&variable->variable->tensor);
    varve_node *node =
        vv_slice_new(owner, name, like, varve_slice_of(variable), true);
    if (!vv_is_nil(node))
        vv_variable_set_initializer(node, initializer, user);
    return add_owned(owner, variable, name, node);
}
