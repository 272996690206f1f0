/* saver_find.h - the files of a prefix in its directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVER_FIND_H
#define VV_SAVER_FIND_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"

struct vv_saver_item {
    char *path;
    uint64_t number; /* 0 also: without one */
    bool has_number;
    int64_t when; /* once sorted by it; 0: it is gone meanwhile */
};

struct vv_saver_found {
    const varve_allocator *allocator;
    struct vv_saver_item *items;
    size_t count;
    size_t capacity;
};

/* When a file was written; VARVE_NOT_FOUND where there is none. */
varve_status vv_saver_look(const struct vv_context *context, const char *path,
    int64_t *when, varve_error *error);

/* Finds `prefix.varve` and all `prefix-N.varve`, where N has no leading zeros
 * or 8 digits. Of a directory that is not there, nothing. */
varve_status vv_saver_scan(const struct vv_context *context, const char *prefix,
    struct vv_saver_found *found, varve_error *error);
void vv_saver_found_clear(struct vv_saver_found *found);

/* Puts them into the order in which they were written, equal times by number,
 * the file without one first. */
varve_status vv_saver_sort_by_time(const struct vv_context *context,
    struct vv_saver_found *found, varve_error *error);

/* The one of the highest number; NULL if none has one. */
const struct vv_saver_item *vv_saver_highest(
    const struct vv_saver_found *found);

#endif
