/* state_file_in.h - the `checkpoint` record in which TensorFlow notes its
 * latest: a protocol buffer as text (CheckpointState in
 * tensorflow/python/training/checkpoint_state.proto).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STATE_FILE_IN_H
#define VV_STATE_FILE_IN_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"

/* Whether a file begins as such a record does. */
bool vv_state_file_is_one(const struct vv_context *context, const char *path);

/* Sets `prefix` to that of the latest checkpoint. A relative path is one from
 * the record's directory. An absolute one, or one that leaves the directory, is
 * looked for beside the record under its last part: the directory was moved
 * since. `noted` is what the record says. VARVE_CORRUPT for a text that is no
 * such record. */
varve_status vv_state_file_latest(const struct vv_context *context,
    const char *path, struct vv_buffer *prefix, struct vv_buffer *noted,
    varve_error *error);

#endif
