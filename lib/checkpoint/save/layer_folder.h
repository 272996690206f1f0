/* layer_folder.h - Opens the folder of layers (data files) beside a checkpoint
 * for a save.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_FOLDER_H
#define VV_LAYER_FOLDER_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"

/* Opens the folder for a checkpoint at `path`, and creates it if necessary.
 * Takes its shared lock: waits for a process that deletes layers, and prevents
 * such deletions until the folder is closed. If the folder is a symbolic link,
 * creates the file VV_LAYER_SHARED in it. Appends the path of the folder and a
 * '/' to `inside`. On failure `folder` is unchanged. */
varve_status vv_layer_folder_open(const struct vv_context *context,
    const char *path, int flags, struct vv_buffer *inside, int *folder,
    varve_error *error);

/* Waits until the names in the folder are on disk. `path` is used for
 * messages. */
varve_status vv_layer_folder_sync(const struct vv_context *context, int folder,
    const char *path, varve_error *error);

/* Chooses a random nonce, and appends the name of its layer to `inside`. */
varve_status vv_layer_choose(const struct vv_context *context, const char *path,
    uint8_t *nonce, struct vv_buffer *inside, varve_error *error);

#endif
