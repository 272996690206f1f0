/* torch_merge.h - several files of torch.save as one: a pickle that has what
 * all of theirs make, and a directory that has the storages of all.
 *
 *     begin; for each file: add; ... further items; end
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_MERGE_H
#define VV_TORCH_MERGE_H

#include "torch_file.h"

struct vv_torch_merge {
    /* to read */
    struct vv_torch_file *file;
    struct vv_pickle pickle;
    /* own */
    varve_error *error;
    uint32_t parts;
    bool has_order;                  /* the byte order is known */
    struct vv_buffer entries, names; /* of the directory */
};

/* `file`, which has begun, becomes what all of them are. End with
 * vv_torch_merge_clear, after success or failure. */
void vv_torch_merge_begin(struct vv_torch_merge *merge,
    struct vv_torch_file *file, const struct vv_foreign *foreign,
    varve_error *error);
void vv_torch_merge_clear(struct vv_torch_merge *merge);

/* Adds a pickle, and the storages of its file where there is one; *root is what
 * it makes. VARVE_CORRUPT where the files differ in their byte order,
 * VARVE_LIMIT above 1 GiB of pickles. */
varve_status vv_torch_merge_add(struct vv_torch_merge *merge,
    const struct vv_torch_file *part, const struct vv_pickle *pickle,
    uint32_t *root);

/* Storages of a part are read beside those that were added. VARVE_CORRUPT where
 * it has another byte order. */
varve_status vv_torch_merge_order(
    struct vv_torch_merge *merge, const struct vv_torch_file *part);

/* Adds an item, and a member to one that has no others than were added so. */
varve_status vv_torch_merge_item(
    struct vv_torch_merge *merge, struct vv_pickle_item item, uint32_t *number);
varve_status vv_torch_merge_member(
    struct vv_torch_merge *merge, uint32_t to, uint32_t member);

/* The storages can be found from now on; `root` is what the pickle makes. */
varve_status vv_torch_merge_end(struct vv_torch_merge *merge, uint32_t root);

#endif
