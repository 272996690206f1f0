/* state_file_in.h - Reads the `checkpoint` record in which TensorFlow stores
 * the path of its latest checkpoint: a protobuf message in text format
 * (CheckpointState in tensorflow/python/training/checkpoint_state.proto).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STATE_FILE_IN_H
#define VV_STATE_FILE_IN_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"

/* Returns true if a file begins like such a record. */
bool vv_state_file_is_one(const struct vv_context *context, const char *path);

/* Sets `prefix` to the prefix of the latest checkpoint and `noted` to the path
 * in the record. A relative path is relative to the directory of the record. If
 * the path is absolute or leaves that directory, only its last part is used,
 * because the directory may have been moved. Returns VARVE_CORRUPT if the text
 * is not such a record. */
varve_status vv_state_file_latest(const struct vv_context *context,
    const char *path, struct vv_buffer *prefix, struct vv_buffer *noted,
    varve_error *error);

#endif
