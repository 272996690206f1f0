/* save_plan_copy.h - Makes a save plan independent of the program's memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_COPY_H
#define VV_SAVE_PLAN_COPY_H

#include "save_plan.h"

/* Returns true if a value is copied by vv_save_plan_copy: it is large, and its
 * bytes in memory are those of a file. The values must not be copied yet. */
bool vv_save_plan_is_large(const struct vv_save_plan *save_plan, size_t value);

/* Returns the size of a block for copies of all values. */
size_t vv_save_plan_copy_size(const struct vv_save_plan *save_plan);

/* Copies all data that belongs to the program except large values, and assigns
 * addresses for these in `block`. The block must have the size from
 * vv_save_plan_copy_size and be aligned to a page. Bytes that the base has
 * (copy_elision.h) or that are not needed are not copied later. After that the
 * save plan does not depend on the options, metadata, small values, strings or
 * values that are read through functions. On failure the save plan is
 * unchanged. */
varve_status vv_save_plan_detach(
    struct vv_save_plan *save_plan, void *block, varve_error *error);

/* Copies the large values on all processors. Called once, on any thread, while
 * the values are unchanged. After that the save plan does not depend on the
 * program's memory. */
void vv_save_plan_copy(struct vv_save_plan *save_plan);

#endif
