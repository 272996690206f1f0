/* layer_prune.h - Deletes layers (data files) that no checkpoint refers to.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_PRUNE_H
#define VV_LAYER_PRUNE_H

#include <varve/prune.h>

#include "context.h"

/* As varve_prune_data_files_with, for the directory that contains `path`. The
 * file `path` need not exist. `result` may be NULL. */
varve_status vv_prune_layers_with(const struct vv_context *context,
    const char *path, bool is_trial, varve_data_files_pruned *result,
    varve_error *error);

varve_status vv_prune_layers(
    const struct vv_context *context, const char *path, varve_error *error);

#endif
