/* torch_graph.h - Converts the items of a pickle to the nodes of a draft.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_GRAPH_H
#define VV_TORCH_GRAPH_H

#include "draft.h"
#include "torch_file.h"
#include "torch_kept.h"
#include "torch_key.h"
#include "torch_value.h"

/* The path by which a node was first reached. */
struct vv_torch_place {
    /* to read */
    uint32_t parent;
    uint32_t
        item; /* the item whose members the node has; 0 (None): not an object */
    uint32_t edges; /* index of its first edge in the draft; its edges end where
                       those of the next node begin */
    bool is_parameter;                /* a tensor that is a torch Parameter */
    const struct vv_torch_name *name; /* NULL: the root */
};

struct vv_torch_graph {
    /* to read */
    struct vv_draft *draft;
    struct vv_torch_file *file;
    const struct vv_pickle *p;
    struct vv_torch_keys keys;
    struct vv_buffer ways; /* struct vv_torch_place, by node */
    varve_error *error;
    unsigned char
        *roles; /* by node (torch_model.h); NULL until slots are added */
    /* own */
    uint32_t *nodes; /* by item: the node, plus 1 */
    struct vv_torch_values values;
    uint32_t parent; /* of the node that is being added */
    const struct vv_torch_name *name;
    bool is_parameter;
    struct vv_buffer kept; /* format extras of one node */
    struct vv_buffer
        order; /* format extras of a node whose members are being added */
};

static inline struct vv_torch_place *vv_torch_place_of(
    const struct vv_torch_graph *g, uint32_t node)
{
    return (struct vv_torch_place *)(void *)g->ways.data + node;
}

static inline uint32_t vv_torch_place_count(const struct vv_torch_graph *g)
{
    return (uint32_t)(g->ways.size / sizeof(struct vv_torch_place));
}

/* Adds all objects of the pickle, breadth first. Call vv_torch_graph_clear
 * after success and after failure. */
varve_status vv_torch_graph_make(struct vv_torch_graph *graph,
    struct vv_draft *draft, struct vv_torch_file *file,
    const struct vv_pickle *pickle, varve_error *error);
void vv_torch_graph_clear(struct vv_torch_graph *graph);

#endif
