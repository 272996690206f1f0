/* stranger.h - files that are known by name and not read: what each is, and
 * what makes its values readable.
 *
 * To add one: a line in a table of stranger.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRANGER_H
#define VV_STRANGER_H

#include <varve/error.h>

#include "context.h"

/* Looks at a file that could not be opened. VARVE_NOT_A_CHECKPOINT with a
 * message that names it, VARVE_OK where nobody knows it or it cannot be looked
 * at, VARVE_NO_MEMORY. */
varve_status vv_stranger_file(
    const struct vv_context *context, const char *path, varve_error *error);

/* The same of a directory without a checkpoint, by what is in it. */
varve_status vv_stranger_directory(
    const struct vv_context *context, const char *path, varve_error *error);

#endif
