/* save_plan_foreign.h - Writes a save plan in another format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_FOREIGN_H
#define VV_SAVE_PLAN_FOREIGN_H

#include "save_plan.h"

/* Writes a save plan in the format of its options. `flags` are those of
 * publish.h. */
varve_status vv_save_plan_write_foreign(struct vv_save_plan *save_plan,
    const char *path, int flags, varve_error *error);

#endif
