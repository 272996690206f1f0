/* torch_again.h - the state dict of an optimizer that came through a format
 * that has no dicts and lists of Python: an object with `state` and
 * `param_groups` is written as the dicts and lists that PyTorch loads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_AGAIN_H
#define VV_TORCH_AGAIN_H

#include "target.h"
#include "torch_kept.h"

struct vv_torch_again {
    /* to read */
    struct vv_target target; /* the same, and what such objects were */
    /* own */
    const struct vv_target *real;
    struct vv_buffer bytes;        /* as torch_kept.h has them */
    struct vv_torch_range *ranges; /* by node; in the bytes */
};

/* Whether an object has the parts of an optimizer's state dict. */
bool vv_torch_has_parts(const struct vv_index *index, uint32_t node);

/* Describes all optimizers of which nothing is kept. End with
 * vv_torch_again_clear after a failure too. VARVE_NO_MEMORY. */
varve_status vv_torch_again_init(struct vv_torch_again *again,
    const struct vv_target *target, varve_error *error);
void vv_torch_again_clear(struct vv_torch_again *again);

#endif
