/* save_plan_incremental.h - a save plan to a checkpoint of which only what
 * changed is written.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_INCREMENTAL_H
#define VV_SAVE_PLAN_INCREMENTAL_H

#include "save_plan.h"

/* vv_save_plan_write where `incremental` is wanted. */
varve_status vv_save_plan_write_incremental(struct vv_save_plan *save_plan,
    const char *path, int flags, varve_error *error);

#endif
