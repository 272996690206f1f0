/* torch_names.h - which `param_names` of the state dict of an optimizer are
 * still those of its parameters, as a graph is written: a variable may have
 * been renamed or left out since the file was read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_NAMES_H
#define VV_TORCH_NAMES_H

#include "torch_optimizer.h"

/* The names of one group. */
struct vv_torch_list {
    /* to read */
    uint32_t node; /* of `param_names` */
    bool is_true;  /* written as it is */
    size_t first;  /* of its names in `named`, where it is not; */
    size_t count;  /* 0: it is left out */
};

struct vv_torch_names {
    /* to read */
    struct vv_buffer lists; /* struct vv_torch_list */
    struct vv_buffer named; /* struct vv_torch_written_slot */
    struct vv_buffer bytes;
    /* own */
    struct vv_torch_tree *tree;
    struct vv_buffer written; /* struct vv_torch_written_slot, by node */
    struct vv_buffer hashes;  /* uint64_t: of these names, sorted */
    struct vv_buffer nodes;   /* uint32_t: containers to visit */
    struct vv_buffer entries; /* positions of an optimizer */
    struct vv_buffer numbers; /* uint64_t: `params` of a group */
    struct vv_buffer text;
    uint32_t *variables; /* by node: of the slot that it is, plus 1 */
    uint32_t *numbered;  /* by node: 1 once visited; of a list, plus 2 */
};

/* Compares the names of each group with those of the variables that its slots
 * belong to. A parameter without slots has to be called like a variable of the
 * graph. Where all parameters of a group have slots,
 * their names are those that the variables are written under; else a group with
 * another name loses its names, which is told. End with vv_torch_names_clear
 * after a failure too. */
varve_status vv_torch_names_init(struct vv_torch_names *names,
    struct vv_torch_tree *tree, varve_error *error);
void vv_torch_names_clear(struct vv_torch_names *names);

/* The list that a node is; NULL: none, or one that is true. */
const struct vv_torch_list *vv_torch_names_of(
    const struct vv_torch_names *names, uint32_t node);

#endif
