/* torch_model.h - Lists the variables of a state dict or module that an
 * optimizer could train, in file order, and their names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_MODEL_H
#define VV_TORCH_MODEL_H

#include "torch_graph.h"

enum {
    VV_TORCH_LONGEST_NAME = 1000 /* bytes; longer names are not compared */
};

/* A name of a variable in torch's spelling, with dots between its parts. */
struct vv_torch_named {
    /* to read */
    const struct vv_torch_name *name; /* a unique address for each text */
    uint32_t node;
};

struct vv_torch_model {
    /* to read */
    struct vv_buffer variables; /* uint32_t */
    struct vv_buffer named;     /* struct vv_torch_named, sorted */
    /* to fill in */
    uint64_t looks; /* remaining visits of edges, in all lists */
    /* own */
    struct vv_torch_graph *g;
    struct vv_buffer steps, text;
    uint32_t *seen; /* by node: the number of the last list that visited it */
    uint32_t look;
};

/* Returns false without memory; vv_torch_model_clear must be called even then.
 */
bool vv_torch_model_init(
    struct vv_torch_model *model, struct vv_torch_graph *graph);
void vv_torch_model_clear(struct vv_torch_model *model);

/* Subtracts `looks` from the remaining visits. If there are not more than that,
 * sets them to 0 and returns false. */
bool vv_torch_model_spend(struct vv_torch_model *model, uint64_t looks);

/* Lists the variables of real and complex types below a node, each once; only
 * torch Parameters if there are any. Lists their names too if `with_names`.
 * Members of optimizers are skipped. Returns VARVE_OK or VARVE_NO_MEMORY. */
varve_status vv_torch_model_list(
    struct vv_torch_model *model, uint32_t node, bool with_names);

/* Returns the variable of a name, or 0 if there is none or more than one. */
uint32_t vv_torch_model_find(
    const struct vv_torch_model *model, const struct vv_torch_name *name);

#endif
