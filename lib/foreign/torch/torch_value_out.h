/* torch_value_out.h - Writes values into a pickle: numbers and texts as Python
 * values, tensors as views of storages. The bytes of the storages are written
 * later.
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
    struct vv_buffer storages; /* uint32_t: the value of each storage */
    /* to fill in */
    uint32_t *notes; /* by node: its number in the memo, plus 1 */
    /* own */
    bool *is_written; /* by value */
};

/* Call vv_torch_values_out_clear after failure too. */
varve_status vv_torch_values_out_init(struct vv_torch_values_out *values,
    const struct vv_target *target, varve_error *error);
void vv_torch_values_out_clear(struct vv_torch_values_out *values);

/* Returns the Python type that was kept of a node. */
enum vv_torch_was vv_torch_was_of(
    const struct vv_target *target, uint32_t node);

/* Adds the value of a variable or a state. */
varve_status vv_torch_add_value(
    struct vv_torch_values_out *values, uint32_t node, varve_error *error);

/* Adds a value of few elements as a Python number or a tuple of numbers, and
 * any other value as a tensor or a text. */
varve_status vv_torch_add_setting(
    struct vv_torch_values_out *values, uint32_t node, varve_error *error);

/* Counts the values of an object's children as written, because others are
 * written in their place. */
void vv_torch_pass_over(
    const struct vv_torch_values_out *values, uint32_t node);

/* Reports the values that were not written as lost. */
void vv_torch_report_lost_values(const struct vv_torch_values_out *values);

#endif
