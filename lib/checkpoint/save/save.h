/* save.h - numbered checkpoints: which number is next, which is the latest.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_H
#define VV_SAVE_H

#include <varve/checkpoint.h>

#include "buffer.h"
#include "save_plan.h"
#include "context.h"

struct vv_opened;

/* Finds the file that a reader means by `path`: that file, the same with
 * VARVE_SUFFIX, or, with `numbered`, the newest of the prefix (numbered.h).
 * Sets `found` to its path. VARVE_NOT_FOUND when there is none. */
varve_status vv_find_checkpoint(const struct vv_context *context,
    const char *path, bool numbered, struct vv_buffer *found,
    varve_error *error);

/* vv_checkpoint_open, or vv_data_in_open. */
typedef varve_status vv_open_function(struct vv_opened *opened,
    const struct vv_context *context, const char *path, varve_error *error);

/* Finds it and opens it; again where a numbered file was deleted between the
 * two. */
varve_status vv_open_found(const struct vv_context *context, const char *path,
    bool numbered, vv_open_function *open, struct vv_opened *opened,
    varve_error *error);

/* Sets `path`, with a NUL behind it, to the path of a number of a prefix. */
void vv_set_numbered_path(
    struct vv_buffer *path, const char *prefix, uint64_t number);

/* The number of the next save under a prefix: above `least`, and above those in
 * its directory, of which `before` gets the highest; `number` where there are
 * none, or that one is padded. */
varve_status vv_next_number(const struct vv_context *context,
    const char *prefix, uint64_t least, uint64_t *number, uint64_t *before,
    varve_error *error);

/* Sets `path` to that of the checkpoint with the highest number, which the next
 * one is based on; empty where there is none, or nobody can tell. */
void vv_find_numbered_base(const struct vv_context *context, const char *prefix,
    struct vv_buffer *path);

/* VARVE_EXISTS where there is a file that is called as the prefix: a restore
 * would find that. */
varve_status vv_check_prefix(
    const struct vv_context *context, const char *prefix, varve_error *error);

/* Notes what was saved last under a prefix, beside it. */
void vv_note_latest(
    const struct vv_context *context, const char *prefix, const char *path);

/* varve_latest over any system. */
varve_status vv_find_latest(const struct vv_context *context,
    const char *prefix, char *path, size_t size, varve_error *error);

/* Writes a save plan under the next number of a prefix, above its counter,
 * which is that number then; `path` is its path. Notes it as the latest. On any
 * thread. */
varve_status vv_save_save_plan(struct vv_save_plan *save_plan,
    const char *prefix, struct vv_buffer *path, varve_error *error);

/* The save counter of a root as it stands there. */
uint64_t vv_save_counter(const varve_node *root);

/* Sees to it that setting it cannot fail; false without memory. */
bool vv_reserve_save_counter(varve_node *root);

/* Sets it; false without memory. */
bool vv_set_save_counter(varve_node *root, uint64_t counter);

#endif
