/* torch_edges.h - Accesses the edges and values of nodes of a complete graph,
 * and assigns slots.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_EDGES_H
#define VV_TORCH_EDGES_H

#include "draft_parts.h"
#include "torch_graph.h"

/* The edges of one node. */
struct vv_torch_edges {
    /* to read */
    const struct vv_draft_edge *at, *end;
};

struct vv_torch_edges vv_torch_edges_of(
    const struct vv_torch_graph *graph, uint32_t node);

/* Returns the value of a node, or NULL. */
const struct vv_draft_value *vv_torch_value_of(
    const struct vv_torch_graph *graph, uint32_t node);

bool vv_torch_is_called(const struct vv_draft_edge *edge, const char *text);

/* Returns the child of a node by name, or 0 (the root) if there is none. */
uint32_t vv_torch_child_of(
    const struct vv_torch_graph *graph, uint32_t node, const char *name);

/* Returns true if a node is the state dict of an optimizer. */
bool vv_torch_has_groups(const struct vv_torch_graph *graph, uint32_t node);

/* The role of a node in the slots found so far. */
enum vv_torch_role { VV_TORCH_TRAINED = 1, VV_TORCH_KEPT = 2 };

/* Makes a node the slot of a variable. A node can be the slot of one variable
 * only, and a variable that has slots cannot be a slot. Other slots, and slots
 * with long names, are ignored. The graph must have its roles. */
void vv_torch_add_slot(struct vv_torch_graph *graph, uint32_t optimizer,
    uint32_t variable, const struct vv_draft_name *name, uint32_t node);

#endif
