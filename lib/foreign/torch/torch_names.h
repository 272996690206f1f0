/* torch_names.h - Finds the `param_names` in an optimizer's state dict that are
 * still correct when a graph is written. Variables may have been renamed or
 * left out after the file was read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_NAMES_H
#define VV_TORCH_NAMES_H

#include "torch_optimizer.h"

/* The `param_names` of one group. */
struct vv_torch_list {
    /* to read */
    uint32_t node; /* the node of `param_names` */
    bool is_true;  /* the names are correct and are written as they are */
    size_t first;  /* otherwise: index of the first name in `named` */
    size_t count;  /* number of names; 0: the list is left out */
};

struct vv_torch_names {
    /* to read */
    struct vv_buffer lists; /* struct vv_torch_list */
    struct vv_buffer named; /* struct vv_torch_written_slot */
    struct vv_buffer bytes;
    /* own */
    struct vv_torch_tree *tree;
    struct vv_buffer written; /* struct vv_torch_written_slot, sorted by node */
    struct vv_buffer hashes;  /* uint64_t: hashes of these names, sorted */
    struct vv_buffer nodes;   /* uint32_t: containers to visit */
    struct vv_buffer
        entries; /* positions of an optimizer and their variables */
    struct vv_buffer numbers; /* uint64_t: `params` of a group */
    struct vv_buffer text;
    uint32_t *variables; /* by node: the variable whose slot it is, plus 1 */
    uint32_t *numbered; /* by node: 1 if visited; for a list its index plus 2 */
};

/* Compares the names of each group with those of the variables that its slots
 * belong to. A parameter without slots must have the name of a variable of the
 * graph. If all parameters of a group have slots, their names are replaced by
 * those under which the variables are written. Otherwise a group with a wrong
 * name loses its names, which is reported. Call vv_torch_names_clear after
 * failure too. */
varve_status vv_torch_names_init(struct vv_torch_names *names,
    struct vv_torch_tree *tree, varve_error *error);
void vv_torch_names_clear(struct vv_torch_names *names);

/* Returns the list of replaced names for a node, or NULL if the node is no list
 * or its names are correct. */
const struct vv_torch_list *vv_torch_names_of(
    const struct vv_torch_names *names, uint32_t node);

#endif
