/* save_plan_incremental.h - Writes a save plan as an incremental checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_INCREMENTAL_H
#define VV_SAVE_PLAN_INCREMENTAL_H

#include "save_plan.h"

/* As vv_save_plan_write, for a save plan with the option `incremental`. */
varve_status vv_save_plan_write_incremental(struct vv_save_plan *save_plan,
    const char *path, int flags, varve_error *error);

#endif
