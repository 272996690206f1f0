/* repack.h - one file of a checkpoint with layers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REPACK_H
#define VV_REPACK_H

#include <varve/incremental.h>

#include "context.h"

/* varve_repack over any system. */
varve_status vv_repack(const struct vv_context *context, const char *path,
    const char *to, const varve_write_options *options, varve_error *error);

/* The same to another path; *size gets the bytes of the file. */
varve_status vv_repack_to(const struct vv_context *context, const char *path,
    const char *to, const varve_write_options *options, uint64_t *size,
    varve_error *error);

#endif
