/* saver_find.c - Finds the files of a prefix and the times at which they were
 * written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saver_find.h"

#include <stdlib.h>
#include <string.h>

#include <varve/checkpoint.h>

#include "allocator.h"
#include "checksum.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "hash_table.h"
#include "name.h"
#include "numbered.h"
#include "try.h"

/* --- Paths -------------------------------------------------------------- */

/* Returns the part of a path without "./" and "//". */
static const char *saver_find_skip_nothing(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2 + strspn(path + 2, "/");
    return path;
}

/* Returns true if two paths are equal, by their text only. */
bool vv_saver_is_same_path(const char *a, const char *b)
{
    if ((*a == '/') != (*b == '/'))
        return false;
    while (*a || *b) {
        a = saver_find_skip_nothing(a + strspn(a, "/"));
        b = saver_find_skip_nothing(b + strspn(b, "/"));
        size_t size = strcspn(a, "/");
        if (size != strcspn(b, "/") || memcmp(a, b, size) != 0)
            return false;
        a += size;
        b += size;
    }
    return true;
}

/* Empty parts, as at the end of "run/", do not count. */
uint64_t vv_saver_path_hash(const char *path)
{
    uint64_t hash = *path == '/';
    while (*path) {
        path = saver_find_skip_nothing(path + strspn(path, "/"));
        size_t size = strcspn(path, "/");
        if (size)
            hash = vv_map_mix(hash + vv_hash_of(path, size));
        path += size;
    }
    return hash;
}

/* --- Lists -------------------------------------------------------------- */

bool vv_saver_files_reserve(
    const varve_allocator *a, struct vv_saver_files *files, size_t count)
{
    while (files->capacity < count) {
        if (!vv_grow_array(a, &files->items, &files->capacity, files->capacity,
                sizeof *files->items))
            return false;
    }
    return true;
}

varve_status vv_saver_files_add(const varve_allocator *a,
    struct vv_saver_files *files, struct vv_saver_file file, const char *path,
    varve_error *error)
{
    file.path = vv_saver_files_reserve(a, files, files->count + 1)
                    ? vv_copy_string(a, path)
                    : NULL;
    if (!file.path)
        return vv_fail_memory(error, "the list of a saver's files");
    file.hash = vv_saver_path_hash(path);
    files->items[files->count++] = file;
    return VARVE_OK;
}

void vv_saver_files_clear(
    const varve_allocator *a, struct vv_saver_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        vv_release_string(a, files->items[i].path);
    vv_release(a, files->items, files->capacity * sizeof *files->items);
    *files = (struct vv_saver_files){ 0 };
}

struct vv_saver_file vv_saver_files_take(struct vv_saver_files *files, size_t i)
{
    struct vv_saver_file file = files->items[i];
    files->count--;
    memmove(files->items + i, files->items + i + 1,
        (files->count - i) * sizeof file);
    return file;
}

/* --- Scanning ----------------------------------------------------------- */

/* prefix.varve, if it is there. */
static varve_status saver_find_unnumbered(const struct vv_context *context,
    const char *prefix, struct vv_buffer *path, struct vv_saver_files *found,
    varve_error *error)
{
    varve_error reason = { 0 };
    path->size = 0;
    vv_buffer_add_string(path, prefix);
    vv_buffer_add_string(path, VARVE_SUFFIX);
    const char *text = vv_buffer_string(path);
    if (path->failed)
        return vv_fail_memory(error, "a path");
    varve_status status = vv_file_look(context, text, NULL, &reason);
    if (status == VARVE_NOT_FOUND || status == VARVE_IS_DIRECTORY)
        return VARVE_OK;
    if (status)
        return vv_pass_failure(error, &reason);
    return vv_saver_files_add(&context->allocator, found,
        (struct vv_saver_file){ .has_number = false }, text, error);
}

static varve_status saver_find_numbered(const struct vv_context *context,
    const char *prefix, const struct vv_numbered_list *list,
    struct vv_buffer *path, struct vv_saver_files *found, varve_error *error)
{
    for (size_t i = 0; i < vv_numbered_count(list); i++) {
        const struct vv_numbered *one = vv_numbered_at(list, i);
        const struct vv_saver_file file = { .number = one->number,
            .has_number = true };
        path->size = 0;
        vv_buffer_add_string(path, prefix);
        vv_numbered_add(path, one->number, one->is_padded, VARVE_SUFFIX);
        const char *text = vv_buffer_string(path);
        if (path->failed)
            return vv_fail_memory(error, "a path");
        VV_TRY(
            vv_saver_files_add(&context->allocator, found, file, text, error));
    }
    return VARVE_OK;
}

varve_status vv_saver_scan(const struct vv_context *context, const char *prefix,
    struct vv_saver_files *found, varve_error *error)
{
    struct vv_numbered_list list;
    struct vv_buffer path;
    *found = (struct vv_saver_files){ 0 };
    vv_numbered_list_begin(&list, &context->allocator);
    list.by_all = true; /* every file is kept or deleted by the list */
    vv_buffer_init(&path, &context->allocator);
    varve_status status = vv_numbered_list_again(context, prefix, &list, error);
    if (!status && list.is_unconfirmed)
        status = vv_fail(error, VARVE_IO,
            "%s-N%s: the listings of the directory keep changing; another "
            "program may be saving there",
            prefix, VARVE_SUFFIX);
    if (!status)
        status = saver_find_unnumbered(context, prefix, &path, found, error);
    if (!status)
        status =
            saver_find_numbered(context, prefix, &list, &path, found, error);
    vv_buffer_clear(&path);
    vv_numbered_list_clear(&list);
    if (status)
        vv_saver_files_clear(&context->allocator, found);
    return status;
}

varve_status vv_saver_look(const struct vv_context *context,
    struct vv_saver_files *files, varve_error *error)
{
    varve_status result = VARVE_OK;
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct vv_saver_file file = files->items[i];
        struct vv_file_info info = { .modified = file.when };
        varve_error reason = { 0 };
        varve_status status =
            result ? VARVE_OK
                   : vv_file_look(context, file.path, &info, &reason);
        if (status == VARVE_NOT_FOUND) {
            vv_release_string(&context->allocator, file.path);
            continue;
        }
        if (status && error)
            *error = reason;
        if (status)
            result = status;
        else
            file.when = info.modified;
        files->items[kept++] = file;
    }
    files->count = kept;
    return result;
}

/* --- Orders ------------------------------------------------------------- */

static int saver_find_compare_numbers(const void *left, const void *right)
{
    const struct vv_saver_file *a = left;
    const struct vv_saver_file *b = right;
    if (a->has_number != b->has_number)
        return a->has_number ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_times(const void *left, const void *right)
{
    const struct vv_saver_file *a = left;
    const struct vv_saver_file *b = right;
    int order = (a->when > b->when) - (a->when < b->when);
    return order ? order : saver_find_compare_numbers(a, b);
}

void vv_saver_sort(struct vv_saver_files *files)
{
    if (files->count)
        qsort(files->items, files->count, sizeof *files->items, compare_times);
}
