/* saver_find.h - Finds the files of a prefix in its directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVER_FIND_H
#define VV_SAVER_FIND_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"

struct vv_saver_file {
    char *path;
    int64_t when;    /* time of writing: nanoseconds since 1970-01-01 UTC */
    uint64_t hash;   /* vv_saver_path_hash of its path */
    uint64_t number; /* the number in its name */
    bool has_number;
};

struct vv_saver_files {
    struct vv_saver_file *items;
    size_t count;
    size_t capacity;
};

/* Return a hash of a path, and true if two paths are equal, by their text only
 * and without "./" and "//". */
uint64_t vv_saver_path_hash(const char *path);
bool vv_saver_is_same_path(const char *a, const char *b);

/* Reserves memory for `count` files in total. Returns false without memory. */
bool vv_saver_files_reserve(
    const varve_allocator *a, struct vv_saver_files *files, size_t count);

/* Appends a file with a copy of `path`. Returns VARVE_NO_MEMORY without
 * memory. */
varve_status vv_saver_files_add(const varve_allocator *allocator,
    struct vv_saver_files *files, struct vv_saver_file file, const char *path,
    varve_error *error);
void vv_saver_files_clear(
    const varve_allocator *a, struct vv_saver_files *files);

/* Removes a file from a list and returns it. Its memory in the list stays
 * reserved. */
struct vv_saver_file vv_saver_files_take(
    struct vv_saver_files *files, size_t index);

/* Finds `prefix.varve` and all `prefix-N.varve` (numbered.h). A missing
 * directory has no files. */
varve_status vv_saver_scan(const struct vv_context *context, const char *prefix,
    struct vv_saver_files *found, varve_error *error);

/* Sets the time at which each file was written. Removes missing files from the
 * list. */
varve_status vv_saver_look(const struct vv_context *context,
    struct vv_saver_files *files, varve_error *error);

/* Sorts the files by time, then by number. A file without a number comes
 * first. */
void vv_saver_sort(struct vv_saver_files *files);
#endif
