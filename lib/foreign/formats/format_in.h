/* format_in.h - Opens a file that is not in Varve's format.
 *
 * Each format probes the first bytes of a file. The format whose probe returns
 * the highest result opens the file. To add a format, write a struct
 * vv_foreign_format and add it to the table in format_in.c.
 *
 * In a build without the option `formats`, without_formats.c implements these
 * functions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FORMAT_IN_H
#define VV_FORMAT_IN_H

#include "foreign_format.h"
#include "formats.h"

/* Opens a file. If it is in no known format, sets *is_known to false and
 * returns VARVE_OK. */
varve_status vv_format_open(struct vv_opened *opened,
    const struct vv_context *context, const struct vv_candidate *candidate,
    bool *is_known, varve_error *error);

/* As vv_checkpoint_open, but always with this format. Not in a build without
 * `formats`. */
varve_status vv_checkpoint_open_as(struct vv_opened *opened,
    const struct vv_context *context, const char *path,
    const struct vv_foreign_format *format, varve_error *error);

#endif
