/* layer_folder.h - the folder of layers beside a checkpoint, while one is
 * saved.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_FOLDER_H
#define VV_LAYER_FOLDER_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"

/* Opens the folder for a checkpoint of this path, made if need be, and shares
 * its lock: waits for those that collect, and keeps them away until it is
 * closed. Where the folder is a symbolic link, creates the file VV_LAYER_SHARED
 * in it. Appends its path to `inside`, with a '/'. On failure `folder` is as it
 * was. */
varve_status vv_layer_folder_open(const struct vv_context *context,
    const char *path, int flags, struct vv_buffer *inside, int *folder,
    varve_error *error);

/* Waits until the names in it are on disk. `path` is for messages. */
varve_status vv_layer_folder_sync(const struct vv_context *context, int folder,
    const char *path, varve_error *error);

/* A random nonce; appends the name of its layer to `inside`. */
varve_status vv_layer_choose(const struct vv_context *context, const char *path,
    uint8_t *nonce, struct vv_buffer *inside, varve_error *error);

#endif
