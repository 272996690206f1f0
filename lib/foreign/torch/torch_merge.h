/* torch_merge.h - Merges several torch.save files into one: a pickle with the
 * items of all pickles, and a directory with the storages of all files.
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
    bool has_order;                  /* the byte order is set */
    struct vv_buffer entries, names; /* of the merged directory */
};

/* Makes `file`, which must be initialized, the result of the merge. Call
 * vv_torch_merge_clear after success and after failure. */
void vv_torch_merge_begin(struct vv_torch_merge *merge,
    struct vv_torch_file *file, const struct vv_foreign *foreign,
    varve_error *error);
void vv_torch_merge_clear(struct vv_torch_merge *merge);

/* Adds a pickle, and the storages of its file if `part` is not NULL. Sets *root
 * to the item that the pickle creates. Returns VARVE_CORRUPT if the byte orders
 * of the files differ, and VARVE_LIMIT above 1 GiB of pickles. */
varve_status vv_torch_merge_add(struct vv_torch_merge *merge,
    const struct vv_torch_file *part, const struct vv_pickle *pickle,
    uint32_t *root);

/* Checks that the byte order of a file is that of the previous files, or
 * returns VARVE_CORRUPT. */
varve_status vv_torch_merge_order(
    struct vv_torch_merge *merge, const struct vv_torch_file *part);

/* Add an item, and a member to an item that was added this way. */
varve_status vv_torch_merge_item(
    struct vv_torch_merge *merge, struct vv_pickle_item item, uint32_t *number);
varve_status vv_torch_merge_member(
    struct vv_torch_merge *merge, uint32_t to, uint32_t member);

/* Ends the merge with `root` as the value of the pickle. From now on storages
 * can be found. */
varve_status vv_torch_merge_end(struct vv_torch_merge *merge, uint32_t root);

#endif
