/* data_in.h - Opens files of Varve's own format. It is one backing of struct
 * vv_opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DATA_IN_H
#define VV_DATA_IN_H

#include <varve/error.h>

#include "layers_in.h"
#include "opened.h"
#include "index_broadcast.h"

/* Like vv_data_in_open, but does not check the graph of the index if it equals
 * that of `like`, a valid index. `like` can be NULL. */
varve_status vv_data_in_open_like(struct vv_opened *opened,
    const struct vv_context *context, const char *path,
    const struct vv_index *like, varve_error *error);

/* Opens a file and checks its header, footer and index, and the data files
 * (layers) that the index names. If another process replaces the file and
 * deletes its data files meanwhile, opens the new file. The path is used
 * unchanged. On failure nothing is open. Close with vv_opened_close.
 *
 * A context with `salvages` also opens a damaged file if it contains an index
 * whose digest is in the header or in the footer. Either of them can be
 * damaged, and data files can be missing; reads of values in missing files
 * return VARVE_TRUNCATED. Without an intact index it fails as usual. */
static inline varve_status vv_data_in_open(struct vv_opened *opened,
    const struct vv_context *context, const char *path, varve_error *error)
{
    return vv_data_in_open_like(opened, context, path, NULL, error);
}

/* Like vv_data_in_open, but columns of a kind (digests, boxes or places) that
 * need more than `most` bytes remain in the file (paged_columns.h). A damaged
 * index is read completely. */
varve_status vv_data_in_open_far(struct vv_opened *opened,
    const struct vv_context *context, const char *path, uint64_t most,
    varve_error *error);

/* Like vv_data_in_open, without the data files. Only the index can be used. */
varve_status vv_data_in_open_index(struct vv_opened *opened,
    const struct vv_context *context, const char *path, varve_error *error);

/* Opens a file whose index another process has read, verified and broadcast.
 * `opened` was begun. Only the header is read now; columns that remain in the
 * file are read later. Returns VARVE_MISMATCH if the header belongs to another
 * file. On failure nothing is open. */
varve_status vv_data_in_open_broadcast(struct vv_opened *opened,
    struct vv_index_broadcast *broadcast, varve_error *error);

/* Returns the position of the index in the file. */
const struct vv_index_place *vv_data_in_place(const struct vv_opened *opened);

/* Returns the data files of a checkpoint that was opened with them. The count
 * is 0 if it has none. */
const struct vv_layers *vv_data_in_layers(const struct vv_opened *opened);

/* Returns true if a file that begins with `head` is a checkpoint of any version
 * of Varve's own format. */
bool vv_data_in_is_ours(const void *head, size_t size);

#endif
