/* checkpoint_find.h - Finds the file to open for a path that a user specified.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CHECKPOINT_FIND_H
#define VV_CHECKPOINT_FIND_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"

/* Returns true if a path ends in VARVE_SUFFIX; for a path of a store, before
 * its query. Such a path always refers to a file of Varve's own format. */
bool vv_has_our_ending(const char *path);

/* Sets `found` to the file to open for a path that is not an existing file: the
 * prefix of a TensorFlow checkpoint, or a directory that contains numbered
 * Varve files (the highest number is used), a `checkpoint` record, a
 * SavedModel, a Hugging Face model or torch.distributed metadata.
 *
 * Returns VARVE_NOT_FOUND if there is nothing of this kind, VARVE_IS_DIRECTORY
 * for a directory without a checkpoint, and VARVE_NOT_A_CHECKPOINT if the
 * directory has a known format that cannot be read. */
varve_status vv_checkpoint_find(const struct vv_context *context,
    const char *path, struct vv_buffer *found, varve_error *error);

/* Replaces an existing file that is only a part of a checkpoint: a data shard
 * by its index, a `checkpoint` record by the latest checkpoint that it
 * lists. */
varve_status vv_checkpoint_settle(const struct vv_context *context,
    struct vv_buffer *found, varve_error *error);

#endif
