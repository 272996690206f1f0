/* resume_sets.h - the newest set of files that is good: in the directories that
 * ranks have for themselves, or can be made so there, or at a level where all
 * have theirs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_SETS_H
#define VV_RESUME_SETS_H

#include "origin.h"

/* Called by all ranks. From the newest number that any has anywhere, at each
 * the fastest first; `origin` is zeroed but for how many levels are looked at,
 * and has no listing where none is good. Those that are not are passed over.
 * What could not be read is that too where there are levels, and *unread says
 * so; else it is the failure. */
varve_status vv_find_set(varve_manager *manager, struct vv_origin *origin,
    varve_error *unread, varve_error *error);

#endif
