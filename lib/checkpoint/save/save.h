/* save.h - Saves numbered checkpoints: chooses the next number, and finds the
 * newest.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_H
#define VV_SAVE_H

#include <varve/checkpoint.h>

#include "buffer.h"
#include "context.h"
#include "write.h"

struct vv_opened;

/* Finds the file that a reader refers to by `path`: that file, the same with
 * VARVE_SUFFIX or, if `numbered`, the newest of the prefix (numbered.h). Sets
 * `found` to its path. Returns VARVE_NOT_FOUND if there is none. */
varve_status vv_find_checkpoint(const struct vv_context *context,
    const char *path, bool numbered, struct vv_buffer *found,
    varve_error *error);

/* vv_checkpoint_open or vv_data_in_open. */
typedef varve_status vv_open_function(struct vv_opened *opened,
    const struct vv_context *context, const char *path, varve_error *error);

/* Finds a checkpoint and opens it. Tries again if a numbered file was deleted
 * in between. */
varve_status vv_open_found(const struct vv_context *context, const char *path,
    bool numbered, vv_open_function *open, struct vv_opened *opened,
    varve_error *error);

/* Sets `path` to that of the checkpoint with the highest number, which is the
 * base of the next one. Sets it to "" if there is none, or if it cannot be
 * determined. */
void vv_find_numbered_base(const struct vv_context *context, const char *prefix,
    struct vv_buffer *path);

/* Returns VARVE_MISUSE if a prefix ends with '/' or is empty: the names of its
 * checkpoints would have no beginning. */
varve_status vv_check_prefix_name(const char *prefix, varve_error *error);

/* As varve_latest, with any system. */
varve_status vv_find_latest(const struct vv_context *context,
    const char *prefix, char *path, size_t size, varve_error *error);

/* As vv_saving_write, for a save that is numbered. */
varve_status vv_save_numbered(
    const struct vv_saving *saving, varve_status status, varve_error *error);

/* Returns the save counter of a root. */
uint64_t vv_save_counter(const varve_node *root);

/* Reserves memory so that vv_set_save_counter cannot fail. Returns false if out
 * of memory. */
bool vv_reserve_save_counter(varve_node *root);

/* Sets the save counter of a root. Returns false if out of memory. */
bool vv_set_save_counter(varve_node *root, uint64_t counter);

#endif
