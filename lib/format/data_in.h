/* data_in.h - a file of our own format, opened for reading: one backing of a
 * struct vv_opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DATA_IN_H
#define VV_DATA_IN_H

#include <varve/error.h>

#include "layers_in.h"
#include "opened.h"
#include "index_broadcast.h"

/* Opens, and checks header, footer and index, and the layers that this names;
 * where somebody replaces it meanwhile, and deletes its layers, that which is
 * there then. On failure nothing is open. The path is used as it is. End with
 * vv_opened_close.
 *
 * In a context that salvages a damaged one is opened too, as far as there is an
 * index with the digest that header or footer has: one of the two may be lost,
 * and layers may be; their values are read as VARVE_TRUNCATED. Where there is
 * none it fails as elsewhere. */
varve_status vv_data_in_open(struct vv_opened *opened,
    const struct vv_context *context, const char *path, varve_error *error);

/* As vv_data_in_open, but columns of a kind, digests, boxes or places, that
 * take more than `most` bytes stay in the file (paged_columns.h). A damaged
 * index is read whole. */
varve_status vv_data_in_open_far(struct vv_opened *opened,
    const struct vv_context *context, const char *path, uint64_t most,
    varve_error *error);

/* The same without the layers: only the index may be looked at. */
varve_status vv_data_in_open_index(struct vv_opened *opened,
    const struct vv_context *context, const char *path, varve_error *error);

/* Opens one whose index somebody else has read and verified, and has told: it
 * has begun. Of the file itself only the header is read, and later the columns
 * that stay there. VARVE_MISMATCH where it has the header of another one. On
 * failure nothing is open. */
varve_status vv_data_in_open_told(struct vv_opened *opened,
    struct vv_index_broadcast *told, varve_error *error);

/* Where the index of one lies. */
const struct vv_index_place *vv_data_in_place(const struct vv_opened *opened);

/* The layers of one that was opened with them; none are counted where it has
 * none. */
const struct vv_layers *vv_data_in_layers(const struct vv_opened *opened);

/* Whether the first bytes of a file are those of a checkpoint, whatever its
 * version. */
bool vv_data_in_is_ours(const void *head, size_t size);

#endif
