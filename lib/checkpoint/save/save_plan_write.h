/* save_plan_write.h - Writes a save plan to disk, without accessing the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_OUT_H
#define VV_SAVE_PLAN_OUT_H

#include "save_plan.h"

/* Writes the file or files of a save plan and publishes them, as varve_write
 * specifies. May be called again, for example after VARVE_EXISTS. May be called
 * on any thread; the progress and loss callbacks are called on that thread. */
varve_status vv_save_plan_write(
    struct vv_save_plan *save_plan, const char *path, varve_error *error);

#endif
