/* torch_edges.h - what the nodes of a graph have, once it is whole, and which
 * are slots.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_EDGES_H
#define VV_TORCH_EDGES_H

#include "draft_parts.h"
#include "torch_graph.h"

/* Those of one node. */
struct vv_torch_edges {
    /* to read */
    const struct vv_draft_edge *at, *end;
};

struct vv_torch_edges vv_torch_edges_of(
    const struct vv_torch_graph *graph, uint32_t node);

/* The value of a node; NULL: it has none. */
const struct vv_draft_value *vv_torch_value_of(
    const struct vv_torch_graph *graph, uint32_t node);

bool vv_torch_is_called(const struct vv_draft_edge *edge, const char *text);

/* The child of a node that has this name; 0, the root: there is none. */
uint32_t vv_torch_child_of(
    const struct vv_torch_graph *graph, uint32_t node, const char *name);

/* Whether a node is the state dict of an optimizer. */
bool vv_torch_has_groups(const struct vv_torch_graph *graph, uint32_t node);

/* What a node is to the slots that there are. */
enum vv_torch_role { VV_TORCH_TRAINED = 1, VV_TORCH_KEPT = 2 };

/* Says that a node is the slot of a variable: a variable is in one slot, or it
 * is trained and in none. Others, and those of long names, are no slots. The
 * graph has its roles. */
void vv_torch_add_slot(struct vv_torch_graph *graph, uint32_t optimizer,
    uint32_t variable, const struct vv_draft_name *name, uint32_t node);

#endif
