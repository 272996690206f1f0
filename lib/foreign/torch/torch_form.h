/* torch_form.h - what of a graph is a dict, a list, a state dict or an
 * optimizer to a program of torch.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_FORM_H
#define VV_TORCH_FORM_H

#include "target.h"

enum vv_torch_form_of {
    VV_TORCH_DICT,
    VV_TORCH_STATE_DICT, /* names of tensors below it, joined by dots */
    VV_TORCH_JOINED,     /* an object in one */
    VV_TORCH_LIST,
    VV_TORCH_OPTIMIZER, /* with `state` and `param_groups` */
    VV_TORCH_ENTRIES,   /* its state, by positions */
    VV_TORCH_GROUPS,    /* its groups, a list */
    VV_TORCH_GROUP      /* a dict of numbers, and of lists of them */
};

/* What a value is. */
enum vv_torch_sort {
    VV_TORCH_NOTHING, /* it cannot be held */
    VV_TORCH_TENSOR,
    VV_TORCH_NUMBER, /* a bool, integer or real of Python */
    VV_TORCH_WORD,   /* a text */
    VV_TORCH_WORDS   /* a list of texts */
};

struct vv_torch_forms {
    /* own */
    const struct vv_target *target;
    unsigned char *marks; /* by node */
};

/* Looks at all of a graph. End with vv_torch_forms_end, after a failure too. */
varve_status vv_torch_forms_begin(struct vv_torch_forms *forms,
    const struct vv_target *target, varve_error *error);
void vv_torch_forms_end(struct vv_torch_forms *forms);

/* Of a node that is no variable, wherever it is. */
enum vv_torch_form_of vv_torch_form_of(
    const struct vv_torch_forms *forms, uint32_t node);

/* The child of a node under a name, or VV_NONE. */
uint32_t vv_torch_child(
    const struct vv_torch_forms *forms, uint32_t node, const char *name);

/* Whether its edges are positions from 0 on. */
bool vv_torch_is_list(const struct vv_torch_forms *forms, uint32_t node);

/* Of a variable's value; VV_NONE: it has none. */
enum vv_torch_sort vv_torch_sort_of(
    const struct vv_target *target, uint32_t value);

#endif
