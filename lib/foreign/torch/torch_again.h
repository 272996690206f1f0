/* torch_again.h - Restores the Python types of optimizer state that was
 * converted through a format without Python dicts and lists. Objects with
 * `state` and `param_groups` are written as the dicts and lists that PyTorch
 * loads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_AGAIN_H
#define VV_TORCH_AGAIN_H

#include "target.h"
#include "torch_kept.h"

struct vv_torch_again {
    /* to read */
    struct vv_target
        target; /* the same target, with types added to the optimizers */
    /* own */
    const struct vv_target *real;
    struct vv_buffer bytes;        /* in the form of torch_kept.h */
    struct vv_torch_range *ranges; /* by node: ranges of `bytes` */
};

/* Returns true if an object has the parts of an optimizer's state dict. */
bool vv_torch_has_parts(const struct vv_index *index, uint32_t node);

/* Describes all optimizers for which no types were kept. Returns VARVE_OK or
 * VARVE_NO_MEMORY. Call vv_torch_again_clear after failure too. */
varve_status vv_torch_again_init(struct vv_torch_again *again,
    const struct vv_target *target, varve_error *error);
void vv_torch_again_clear(struct vv_torch_again *again);

#endif
