/* torch_value_out.h - values in a pickle: numbers and texts as Python's,
 * tensors as views of storages, whose bytes come later.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_VALUE_OUT_H
#define VV_TORCH_VALUE_OUT_H

#include "pickle_out.h"
#include "target.h"
#include "torch_kept.h"

struct vv_torch_values_out {
    /* to read */
    const struct vv_target *target;
    struct vv_pickle_out pickle;
    struct vv_buffer storages; /* uint32_t: the value of each */
    /* to fill in */
    uint32_t *notes; /* by node: its number in the memo, plus 1 */
    /* own */
    bool *is_written; /* by value */
};

/* End with vv_torch_values_out_clear after a failure too. */
varve_status vv_torch_values_out_init(struct vv_torch_values_out *values,
    const struct vv_target *target, varve_error *error);
void vv_torch_values_out_clear(struct vv_torch_values_out *values);

/* What was kept of a node. */
enum vv_torch_was vv_torch_was_of(
    const struct vv_target *target, uint32_t node);

/* Adds the value of a variable or a state. */
varve_status vv_torch_add_value(
    struct vv_torch_values_out *values, uint32_t node, varve_error *error);

/* The same of a small one as a number, or a tuple of numbers, of Python; of
 * another as it is. */
varve_status vv_torch_add_setting(
    struct vv_torch_values_out *values, uint32_t node, varve_error *error);

/* Counts the values of an object's children as added: others stand in their
 * place. */
void vv_torch_pass_over(
    const struct vv_torch_values_out *values, uint32_t node);

/* Tells of the values that nothing has added. */
void vv_torch_lose_values(const struct vv_torch_values_out *values);

#endif
