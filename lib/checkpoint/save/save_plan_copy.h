/* save_plan_copy.h - a save plan that needs the program no more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_COPY_H
#define VV_SAVE_PLAN_COPY_H

#include "save_plan.h"

/* Whether a value is copied late: large, and as it lies in a file. Of a save
 * plan that is not copied. */
bool vv_save_plan_is_large(const struct vv_save_plan *save_plan, size_t value);

/* How large a block for copies of all values must be. */
size_t vv_save_plan_copy_size(const struct vv_save_plan *save_plan);

/* Copies all that the program lends but large values, for which it finds places
 * in a block of that size, aligned to a page; what is spared (copy_elision.h),
 * or not needed, gets no bytes there. The save plan needs neither options nor
 * metadata nor small values nor strings nor what lies elsewhere any more. On
 * failure it is as it was. */
varve_status vv_save_plan_detach(
    struct vv_save_plan *save_plan, void *block, varve_error *error);

/* Copies the large ones, on all processors; once, on any thread, as long as
 * they are as they were. From here on nothing of the program is needed. */
void vv_save_plan_copy(struct vv_save_plan *save_plan);

#endif
