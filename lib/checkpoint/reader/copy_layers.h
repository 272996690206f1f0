/* copy_layers.h - a checkpoint with layers, copied to another directory as one
 * with layers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_COPY_LAYERS_H
#define VV_COPY_LAYERS_H

#include <varve/checkpoint.h>

#include "context.h"

/* Copies a checkpoint to the path `to` in another directory: first the layers
 * that are not there, of which each chunk that it has is verified before, then
 * its index. One without layers is repacked. Of the options, those of
 * varve_repack count. *size gets how many bytes were written. */
varve_status vv_copy_layers(const struct vv_context *context, const char *from,
    const char *to, const varve_write_options *options, uint64_t *size,
    varve_error *error);

#endif
