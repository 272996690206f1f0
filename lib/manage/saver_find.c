/* saver_find.c - which files of a prefix there are, and when they were written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saver_find.h"

#include <stdlib.h>
#include <string.h>

#include <varve/checkpoint.h>

#include "allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "name.h"

enum { PADDED_SIZE = 8 };

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

struct scan {
    const varve_allocator *allocator;
    struct vv_saver_files *found;
    const char *prefix; /* as it was given */
    const char *name;   /* its last part */
    bool failed;        /* out of memory */
};

static bool parse_number(const char *text, size_t size, uint64_t *number)
{
    size_t zeros = 0;
    while (size == PADDED_SIZE && zeros < size - 1 && text[zeros] == '0')
        zeros++;
    return vv_parse_decimal(text + zeros, size - zeros, number);
}

/* Whether a name in the directory is that of a file of the prefix. */
static bool fits(
    const struct scan *scan, const char *name, struct vv_saver_file *file)
{
    size_t size = strlen(name);
    size_t front = strlen(scan->name);
    size_t suffix = sizeof VARVE_SUFFIX - 1;
    if (size < front + suffix || memcmp(name, scan->name, front) != 0 ||
        strcmp(name + size - suffix, VARVE_SUFFIX) != 0)
        return false;
    size -= front + suffix;
    file->has_number = size > 0;
    return size == 0 ||
           (name[front] == '-' && size > 1 &&
               parse_number(name + front + 1, size - 1, &file->number));
}

static bool add(struct scan *scan, struct vv_saver_file file, const char *name)
{
    const varve_allocator *a = scan->allocator;
    struct vv_saver_files *found = scan->found;
    size_t parent = (size_t)(scan->name - scan->prefix);
    size_t size = strlen(name) + 1;
    if (!vv_saver_files_reserve(a, found, found->count + 1))
        return false;
    file.path = vv_allocate(a, parent + size);
    if (!file.path)
        return false;
    memcpy(file.path, scan->prefix, parent);
    memcpy(file.path + parent, name, size);
    found->items[found->count++] = file;
    return true;
}

static int look_at_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    struct scan *scan = user;
    struct vv_saver_file file = { 0 };
    if (fits(scan, name, &file) && !add(scan, file, name))
        scan->failed = true;
    return scan->failed;
}

varve_status vv_saver_scan(const struct vv_context *context, const char *prefix,
    struct vv_saver_files *found, varve_error *error)
{
    struct scan scan = {
        .allocator = &context->allocator,
        .found = found,
        .prefix = prefix,
        .name = vv_path_name(prefix),
    };
    *found = (struct vv_saver_files){ 0 };
    varve_status status =
        vv_directory_each(context, prefix, look_at_name, &scan, error);
    if (!status && scan.failed)
        status = vv_fail_memory(error, "the files of a directory");
    if (status)
        vv_saver_files_clear(scan.allocator, found);
    return status;
}

varve_status vv_saver_look(const struct vv_context *context,
    struct vv_saver_files *files, varve_error *error)
{
    for (size_t i = 0; i < files->count;) {
        struct vv_saver_file *file = &files->items[i];
        struct vv_file_info info;
        varve_error reason = { 0 };
        varve_status status = vv_file_look(context, file->path, &info, &reason);
        if (status == VARVE_NOT_FOUND) {
            vv_release_string(
                &context->allocator, vv_saver_files_take(files, i).path);
            continue;
        }
        if (status && error)
            *error = reason;
        if (status)
            return status;
        file->when = info.modified;
        i++;
    }
    return VARVE_OK;
}

/* --- Orders ------------------------------------------------------------- */

static int compare_numbers(const void *left, const void *right)
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
    return order ? order : compare_numbers(a, b);
}

void vv_saver_sort(struct vv_saver_files *files)
{
    if (files->count)
        qsort(files->items, files->count, sizeof *files->items, compare_times);
}

const struct vv_saver_file *vv_saver_highest(const struct vv_saver_files *files)
{
    const struct vv_saver_file *highest = NULL;
    for (size_t i = 0; i < files->count; i++) {
        const struct vv_saver_file *file = &files->items[i];
        if (file->has_number &&
            (!highest || compare_numbers(file, highest) > 0))
            highest = file;
    }
    return highest;
}
