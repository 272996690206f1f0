/* save_plan_write.h - what was gathered on its way to disk. No graph is looked
 * at.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_OUT_H
#define VV_SAVE_PLAN_OUT_H

#include "save_plan.h"

/* Writes the file or files of a save plan and publishes them, by the rules of
 * varve_write. May be called again, as where a name was taken. On any thread:
 * the progress and loss callbacks run there. */
varve_status vv_save_plan_write(
    struct vv_save_plan *save_plan, const char *path, varve_error *error);

#endif
