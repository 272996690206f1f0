/* torch_graph.h - the items of a pickle as nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_GRAPH_H
#define VV_TORCH_GRAPH_H

#include "draft.h"
#include "torch_file.h"
#include "torch_key.h"
#include "torch_value.h"

/* How a node was first reached. */
struct vv_torch_way {
    /* to read */
    uint32_t parent;
    uint32_t item; /* whose members the node has; 0 (None): no object's */
    const struct vv_torch_name *name; /* NULL: of the root */
};

struct vv_torch_graph {
    /* to read */
    struct vv_draft *draft;
    const struct vv_pickle *p;
    struct vv_torch_keys keys;
    struct vv_buffer ways; /* struct vv_torch_way, by node */
    uint32_t *nodes; /* by item: its node, plus 1; 0: none, or one each time */
    /* own */
    struct vv_torch_values values;
    const char *path; /* of the file */
    varve_error *error;
    uint32_t parent; /* what is being added */
    const struct vv_torch_name *name;
};

/* Adds all that the pickle makes, breadth first. End with vv_torch_graph_clear
 * after success or failure. */
varve_status vv_torch_graph_make(struct vv_torch_graph *graph,
    struct vv_draft *draft, struct vv_torch_file *file,
    const struct vv_pickle *pickle, varve_error *error);
void vv_torch_graph_clear(struct vv_torch_graph *graph);

/* The item that stands for another one: for a call that only makes a container
 * of another, that one. */
uint32_t vv_torch_same(const struct vv_pickle *pickle, uint32_t item);

#endif
