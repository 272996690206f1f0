/* layer_prune.h - bringing back the space of layers that no checkpoint names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_PRUNE_H
#define VV_LAYER_PRUNE_H

#include <varve/layers.h>

#include "context.h"

/* varve_prune_layers for the directory that holds `path`, which need not be
 * there. */
varve_status vv_prune_layers(
    const struct vv_context *context, const char *path, varve_error *error);

#endif
