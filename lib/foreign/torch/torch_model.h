/* torch_model.h - lists what an optimizer could train of a state dict or of a
 * module: its variables in the order of the file, and their names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_MODEL_H
#define VV_TORCH_MODEL_H

#include "torch_graph.h"

enum { VV_TORCH_LONGEST_NAME = 1000 /* bytes; longer ones are not compared */ };

/* A name of a variable as torch spells it, with dots between its parts. */
struct vv_torch_named {
    /* to read */
    const struct vv_torch_name *name; /* one object for each text */
    uint32_t node;
};

struct vv_torch_model {
    /* to read */
    struct vv_buffer variables; /* uint32_t */
    struct vv_buffer named;     /* struct vv_torch_named, sorted */
    /* to fill in */
    uint64_t looks; /* how many edges may still be visited, in all lists */
    /* own */
    struct vv_torch_graph *g;
    struct vv_buffer steps, text;
    uint32_t *seen; /* by node: the number of the list that visited it */
    uint32_t look;
};

/* False without memory. End with vv_torch_model_clear in both cases. */
bool vv_torch_model_init(
    struct vv_torch_model *model, struct vv_torch_graph *graph);
void vv_torch_model_clear(struct vv_torch_model *model);

/* Takes `looks` from those that are left; false, and none are left, where there
 * are fewer. */
bool vv_torch_model_spend(struct vv_torch_model *model, uint64_t looks);

/* Lists the model at a node: the variables of real and complex types, each
 * once; only those that torch calls parameters where it calls any so. The names
 * are listed where `with_names`. What an optimizer keeps is none of it.
 * VARVE_NO_MEMORY. */
varve_status vv_torch_model_list(
    struct vv_torch_model *model, uint32_t node, bool with_names);

/* The variable of a name; 0: there is none, or there are several. */
uint32_t vv_torch_model_find(
    const struct vv_torch_model *model, const struct vv_torch_name *name);

#endif
