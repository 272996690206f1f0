/* resume.h - Finds the newest intact checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_H
#define VV_RESUME_H

#include "origin.h"
#include "retention.h"

/* The number of further attempts to read a file. The delay doubles after
 * each. */
enum { VV_MOST_READS = 5 };
#define VV_FIRST_PAUSE (VV_SECOND / 100)

/* Records that a checkpoint is intact. The manager remembers the newest one of
 * its own directory. */
void vv_note_good_origin(
    varve_manager *manager, const struct vv_origin *origin);

/* Verifies a file, with this process alone. */
varve_status vv_verify_alone(
    varve_manager *manager, const char *path, varve_error *error);

#endif
