/* torch_graph.h - the items of a pickle as nodes.
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

/* How a node was first reached. */
struct vv_torch_way {
    /* to read */
    uint32_t parent;
    uint32_t item;     /* whose members the node has; 0 (None): no object's */
    uint32_t edges;    /* of the draft: where its own begin, and end where those
                          of the next node do */
    bool is_parameter; /* a tensor that torch calls so */
    const struct vv_torch_name *name; /* NULL: of the root */
};

struct vv_torch_graph {
    /* to read */
    struct vv_draft *draft;
    struct vv_torch_file *file;
    const struct vv_pickle *p;
    struct vv_torch_keys keys;
    struct vv_buffer ways; /* struct vv_torch_way, by node */
    varve_error *error;
    unsigned char *roles; /* by node (torch_edges.h); NULL at first */
    /* own */
    uint32_t *nodes; /* by item: its node, plus 1 */
    struct vv_torch_values values;
    uint32_t parent; /* what is being added */
    const struct vv_torch_name *name;
    bool is_parameter;
    struct vv_buffer kept;  /* what is kept of a node, */
    struct vv_buffer order; /* of one whose members are being added */
};

static inline struct vv_torch_way *vv_torch_way_of(
    const struct vv_torch_graph *g, uint32_t node)
{
    return (struct vv_torch_way *)(void *)g->ways.data + node;
}

static inline uint32_t vv_torch_way_count(const struct vv_torch_graph *g)
{
    return (uint32_t)(g->ways.size / sizeof(struct vv_torch_way));
}

/* Adds all that the pickle makes, breadth first. End with vv_torch_graph_clear
 * after success or failure. */
varve_status vv_torch_graph_make(struct vv_torch_graph *graph,
    struct vv_draft *draft, struct vv_torch_file *file,
    const struct vv_pickle *pickle, varve_error *error);
void vv_torch_graph_clear(struct vv_torch_graph *graph);

#endif
