/* resume.h - the newest checkpoint that is good.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_H
#define VV_RESUME_H

#include "origin.h"

/* It is good: no more is damaged, and the manager knows that of one of its own
 * directory. */
void vv_note_good_origin(
    varve_manager *manager, const struct vv_origin *origin);

#endif
