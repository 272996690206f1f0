/* checkpoint_find.h - the file to open for what a user calls a checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CHECKPOINT_FIND_H
#define VV_CHECKPOINT_FIND_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"

/* Returns whether a path ends in VARVE_SUFFIX, that of a store before its
 * query. Such a path names a file of Varve's own format and nothing else. */
bool vv_has_our_ending(const char *path);

/* Looks for `path` where there is no file of that name: the prefix of a
 * TensorFlow checkpoint; a directory with a `checkpoint` record, a SavedModel,
 * a model of Hugging Face, the metadata of torch.distributed, or numbered files
 * of ours (the highest number).
 * VARVE_NOT_FOUND where there is none of these, VARVE_IS_DIRECTORY for a
 * directory with none of them, VARVE_NOT_A_CHECKPOINT where it is known whose
 * it is. */
varve_status vv_checkpoint_find(const struct vv_context *context,
    const char *path, struct vv_buffer *found, varve_error *error);

/* Puts in place of a file that is there the one that stands for the whole: of a
 * data shard its index, of a `checkpoint` record the latest that it names. */
varve_status vv_checkpoint_settle(const struct vv_context *context,
    struct vv_buffer *found, varve_error *error);

#endif
