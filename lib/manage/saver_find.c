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
#include "retry.h"
#include "try.h"

enum { PADDED_SIZE = 8 };

varve_status vv_saver_look(const struct vv_context *context, const char *path,
    int64_t *when, varve_error *error)
{
    const struct vv_system *system = context->system;
    struct vv_file_info info;
    int file;
    uint64_t size;
    unsigned tries = 0;
    VV_TRY(vv_file_open(context, path, &file, &size, error));
    int result;
    do
        result = system->info(system->state, file, &info);
    while (vv_try_again(result, &tries));
    vv_file_close(context, file);
    if (result < 0)
        return vv_fail_system(error, -result, "looking at it", path);
    *when = info.modified;
    return VARVE_OK;
}

/* --- Scanning ----------------------------------------------------------- */

struct scan {
    struct vv_saver_found *found;
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
    const struct scan *scan, const char *name, struct vv_saver_item *item)
{
    size_t size = strlen(name);
    size_t front = strlen(scan->name);
    size_t suffix = sizeof VARVE_SUFFIX - 1;
    if (size < front + suffix || memcmp(name, scan->name, front) != 0 ||
        strcmp(name + size - suffix, VARVE_SUFFIX) != 0)
        return false;
    size -= front + suffix;
    item->has_number = size > 0;
    return size == 0 ||
           (name[front] == '-' && size > 1 &&
               parse_number(name + front + 1, size - 1, &item->number));
}

static bool add(struct scan *scan, struct vv_saver_item item, const char *name)
{
    struct vv_saver_found *found = scan->found;
    size_t parent = (size_t)(scan->name - scan->prefix);
    size_t size = strlen(name) + 1;
    if (!vv_grow_array(found->allocator, &found->items, &found->capacity,
            found->count, sizeof item))
        return false;
    item.path = vv_allocate(found->allocator, parent + size);
    if (!item.path)
        return false;
    memcpy(item.path, scan->prefix, parent);
    memcpy(item.path + parent, name, size);
    found->items[found->count++] = item;
    return true;
}

static int look_at_name(void *user, const char *name)
{
    struct scan *scan = user;
    struct vv_saver_item item = { 0 };
    if (fits(scan, name, &item) && !add(scan, item, name))
        scan->failed = true;
    return scan->failed;
}

varve_status vv_saver_scan(const struct vv_context *context, const char *prefix,
    struct vv_saver_found *found, varve_error *error)
{
    *found = (struct vv_saver_found){ .allocator = &context->allocator };
    struct scan scan = {
        .found = found, .prefix = prefix, .name = vv_path_name(prefix)
    };
    varve_status status =
        vv_directory_each(context, prefix, look_at_name, &scan, error);
    if (!status && scan.failed)
        status = vv_fail_memory(error, "the files of a directory");
    if (status)
        vv_saver_found_clear(found);
    return status;
}

void vv_saver_found_clear(struct vv_saver_found *found)
{
    for (size_t i = 0; i < found->count; i++)
        vv_release_string(found->allocator, found->items[i].path);
    vv_release(
        found->allocator, found->items, found->capacity * sizeof *found->items);
    *found = (struct vv_saver_found){ .allocator = found->allocator };
}

/* --- Orders ------------------------------------------------------------- */

static int compare_numbers(const void *left, const void *right)
{
    const struct vv_saver_item *a = left;
    const struct vv_saver_item *b = right;
    if (a->has_number != b->has_number)
        return a->has_number ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_times(const void *left, const void *right)
{
    const struct vv_saver_item *a = left;
    const struct vv_saver_item *b = right;
    int order = (a->when > b->when) - (a->when < b->when);
    return order ? order : compare_numbers(a, b);
}

varve_status vv_saver_sort_by_time(const struct vv_context *context,
    struct vv_saver_found *found, varve_error *error)
{
    varve_error reason = { 0 };
    for (size_t i = 0; i < found->count; i++) {
        struct vv_saver_item *item = &found->items[i];
        varve_status status =
            vv_saver_look(context, item->path, &item->when, &reason);
        if (!status || status == VARVE_NOT_FOUND)
            continue;
        if (error)
            *error = reason;
        return status;
    }
    if (found->count)
        qsort(found->items, found->count, sizeof *found->items, compare_times);
    return VARVE_OK;
}

const struct vv_saver_item *vv_saver_highest(const struct vv_saver_found *found)
{
    const struct vv_saver_item *highest = NULL;
    for (size_t i = 0; i < found->count; i++) {
        const struct vv_saver_item *item = &found->items[i];
        if (item->has_number &&
            (!highest || compare_numbers(item, highest) > 0))
            highest = item;
    }
    return highest;
}
