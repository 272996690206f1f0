/* copy_layers.h - Copies an incremental checkpoint, with its data files, to
 * another directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_COPY_LAYERS_H
#define VV_COPY_LAYERS_H

#include <varve/checkpoint.h>

#include "context.h"

/* Copies a checkpoint to the path `to` in another directory. First copies the
 * missing data files, after verifying each chunk that the checkpoint uses, then
 * its index. A checkpoint without data files is repacked. Supports the same
 * options as varve_repack. Sets *size to the number of bytes written. */
varve_status vv_copy_layers(const struct vv_context *context, const char *from,
    const char *to, const varve_write_options *options, uint64_t *size,
    varve_error *error);

#endif
