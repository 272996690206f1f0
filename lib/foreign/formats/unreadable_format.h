/* unreadable_format.h - Recognizes formats that cannot be read, and describes
 * how to make their values readable.
 *
 * To add a format, add a line to a table in unreadable_format.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_UNREADABLE_FORMAT_H
#define VV_UNREADABLE_FORMAT_H

#include <varve/error.h>

#include "context.h"

/* Examines a file that could not be opened. Returns VARVE_NOT_A_CHECKPOINT with
 * a message that names its format, VARVE_OK if the format is not known or the
 * file cannot be read, or VARVE_NO_MEMORY. */
varve_status vv_unreadable_format_file(
    const struct vv_context *context, const char *path, varve_error *error);

/* As vv_unreadable_format_file, for a directory without a checkpoint. The
 * format is recognized by the files in it. */
varve_status vv_unreadable_format_directory(
    const struct vv_context *context, const char *path, varve_error *error);

#endif
