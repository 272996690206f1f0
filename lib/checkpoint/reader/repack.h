/* repack.h - Copies a checkpoint to another place: as one file, or together
 * with its data files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REPACK_H
#define VV_REPACK_H

#include <varve/checkpoint.h>
#include <varve/incremental.h>

#include "context.h"

/* --- One file ------------------------------------------------------------- */

/* Does what varve_repack does, in a given context, and writes to the path `to`.
 */
varve_status vv_repack(const struct vv_context *context, const char *path,
    const char *to, const varve_write_options *options, varve_error *error);

/* Does the same and sets *size to the size of the new file. */
varve_status vv_repack_to(const struct vv_context *context, const char *path,
    const char *to, const varve_write_options *options, uint64_t *size,
    varve_error *error);

/* --- With data files ------------------------------------------------------ */

/* Copies a checkpoint to the path `to` in another directory. First copies the
 * missing data files, after verifying each chunk that the checkpoint uses, then
 * its index. A checkpoint without data files is repacked. Supports the same
 * options as varve_repack. Sets *size to the number of bytes written. */
varve_status vv_copy_layers(const struct vv_context *context, const char *from,
    const char *to, const varve_write_options *options, uint64_t *size,
    varve_error *error);

#endif
