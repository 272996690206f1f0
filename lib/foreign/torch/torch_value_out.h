/* torch_value_out.h - tensors, numbers and texts in a pickle, as torch puts
 * them there (torch/_tensor.py, `_reduce_ex_internal`).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_VALUE_OUT_H
#define VV_TORCH_VALUE_OUT_H

#include "pickle_out.h"
#include "target.h"

/* A whole, row-major tensor over the storage `data/<key>`. */
void vv_torch_put_tensor(
    struct vv_pickle_out *out, const varve_tensor *type, uint32_t key);

/* A value of bool, int64, uint64 or float64: a number, or of rank 1 a list of
 * them. */
varve_status vv_torch_put_numbers(struct vv_pickle_out *out,
    const struct vv_target *target, uint32_t value, varve_error *error);

/* A value of strings: a text, or of rank 1 a list of them. What is no UTF-8 is
 * bytes. */
varve_status vv_torch_put_texts(struct vv_pickle_out *out,
    const struct vv_target *target, uint32_t value, varve_error *error);

#endif
