/* torch_model.h - Lists the variables of a model that an optimizer could train,
 * and finds the slots of an optimizer whose state dict is flat.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_MODEL_H
#define VV_TORCH_MODEL_H

#include "draft_parts.h"
#include "torch_graph.h"

/* --- Edges ---------------------------------------------------------------- */

/* Accesses the edges and values of nodes of a complete graph, and assigns
 * slots. */

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

/* Makes a node the slot of a variable. A node can be the slot of one variable
 * only, and a variable that has slots cannot be a slot. Other slots, and slots
 * with long names, are ignored. The graph must have its roles. */
void vv_torch_add_slot(struct vv_torch_graph *graph, uint32_t optimizer,
    uint32_t variable, const struct vv_draft_name *name, uint32_t node);

/* --- Variables of a model ------------------------------------------------- */

enum {
    VV_TORCH_LONGEST_NAME = 1000 /* bytes; longer names are not compared */
};

struct vv_torch_model {
    /* to read */
    struct vv_buffer variables; /* uint32_t */
    struct vv_buffer named;     /* struct torch_named, sorted */
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
bool vv_torch_model_use_budget(struct vv_torch_model *model, uint64_t looks);

/* Lists the variables of real and complex types below a node, each once; only
 * torch Parameters if there are any. Lists their names too if `with_names`.
 * Members of optimizers are skipped. Returns VARVE_OK or VARVE_NO_MEMORY. */
varve_status vv_torch_model_list(
    struct vv_torch_model *model, uint32_t node, bool with_names);

/* Returns the variable of a name, or 0 if there is none or more than one. */
uint32_t vv_torch_model_find(
    const struct vv_torch_model *model, const struct vv_torch_name *name);

/* --- Flat state dicts ----------------------------------------------------- */

/* Finds the slots of an optimizer whose state dict is flat.
 *
 * torch.distributed can write {"state.0.weight.exp_avg": ..., and so on}. The
 * variables belong to the object that contains all names between `state.` and
 * the last dot (0.weight). It must be the only such object next to the
 * optimizer or next to an object that contains the optimizer. */

/* Adds the slots to the draft. The graph must be complete and have its roles.
 */
varve_status vv_torch_add_flat_slots(struct vv_torch_graph *graph);

#endif
