/* selection.h - Copies the options of a read, with renames and path patterns,
 * for the lifetime of the restoration.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SELECTION_H
#define VV_SELECTION_H

#include <varve/checkpoint.h>

#include "buffer.h"
#include "context.h"
#include "rename_index.h"

struct vv_rename {
    /* to read */
    char *program; /* without a leading '/' */
    char *file;
    /* own */
    struct vv_rename_parts parts; /* empty if `is_of_slot` */
    uint32_t stage;  /* for renames with `**`: the stage before the last piece
                        (rename_index.h); otherwise 0 */
    bool is_of_slot; /* its program path is that of slots */
    /* to read */
    bool was_used;
};

struct vv_selection {
    /* to read */
    const varve_allocator *allocator;
    struct vv_rename *renames;
    size_t rename_count;
    size_t rename_capacity;
    struct vv_rename_index index; /* of the renames */
    bool has_slots;               /* one of the renames is of slots */
    char *only;
    char *except;
    char *resize;
    char *cast_only;
    char *expect_missing;
    char *expect_unexpected;
    /* to fill in */
    const struct vv_rename *ambiguous; /* in a resume: the checkpoint has both
                                          paths of this rename; or NULL */
    bool is_resume; /* a rename to a path that the file lacks has no effect */
    /* pointers to data of the caller are reset */
    varve_read_options options; /* its pointers must not be used, except
                                   `progress` during the read */
};

/* Copies the options and reads the rename file. */
varve_status vv_selection_begin(struct vv_selection *selection,
    const struct vv_context *context, const varve_read_options *options,
    varve_error *error);
void vv_selection_end(struct vv_selection *selection);

/* Fails as vv_selection_begin does. Managers use it to find invalid options
 * before there is a checkpoint to read. `options` may be NULL. */
varve_status vv_read_options_check(const struct vv_context *context,
    const varve_read_options *options, varve_error *error);

/* Sets in the context how files are opened. `options` may be NULL. */
void vv_choose_opening(
    struct vv_context *context, const varve_read_options *options);

#endif
