/* save_plan_write.h - Writes a save plan to disk, also in another format,
 * without accessing the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_WRITE_H
#define VV_SAVE_PLAN_WRITE_H

#include "save_plan.h"

/* --- Other formats -------------------------------------------------------- */

/* Writes a save plan in the format of its options. `flags` are those of
 * publish.h. */
varve_status vv_save_plan_write_foreign(struct vv_save_plan *save_plan,
    const char *path, int flags, varve_error *error);

/* --- Varve's own format --------------------------------------------------- */

/* Writes the file or files of a save plan and publishes them, as varve_write
 * specifies. May be called again, for example after VARVE_EXISTS. May be called
 * on any thread; the progress and loss callbacks are called on that thread. */
varve_status vv_save_plan_write(
    struct vv_save_plan *save_plan, const char *path, varve_error *error);

#endif
