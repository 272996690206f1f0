/* mapping.h - pages of a file as the memory of a variable.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MAPPING_H
#define VV_MAPPING_H

#include <stddef.h>

#include <varve/error.h>

#include "context.h"

/* Bytes of an open file. */
struct vv_range {
    const char *path; /* for messages */
    int file;
    uint64_t offset;
    size_t size;
};

/* Maps a range, private and writable. `owner` is a struct vv_borrowed to hand
 * on with `data`. */
varve_status vv_mapping_new(const struct vv_context *context,
    const struct vv_range *range, void **owner, void **data,
    varve_error *error);

/* Takes NULL. */
void vv_mapping_free(void *owner, void *data);

#endif
