/* repack.h - Rewrites an incremental checkpoint as a single file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REPACK_H
#define VV_REPACK_H

#include <varve/incremental.h>

#include "context.h"

/* Does what varve_repack does, in a given context, and writes to the path `to`.
 */
varve_status vv_repack(const struct vv_context *context, const char *path,
    const char *to, const varve_write_options *options, varve_error *error);

/* Does the same and sets *size to the size of the new file. */
varve_status vv_repack_to(const struct vv_context *context, const char *path,
    const char *to, const varve_write_options *options, uint64_t *size,
    varve_error *error);

#endif
