/* mapping.h - Maps pages of a file as the memory of a variable.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MAPPING_H
#define VV_MAPPING_H

#include <stddef.h>

#include <varve/error.h>

#include "context.h"

/* A range of an open file. */
struct vv_range {
    const char *path; /* for error messages */
    int file;
    uint64_t offset;
    size_t size;
};

/* Maps a range, private and writable. Sets *data to its memory and *owner to a
 * struct vv_borrowed that releases it. */
varve_status vv_mapping_new(const struct vv_context *context,
    const struct vv_range *range, void **owner, void **data,
    varve_error *error);

/* Accepts NULL. */
void vv_mapping_free(void *owner, void *data);

#endif
