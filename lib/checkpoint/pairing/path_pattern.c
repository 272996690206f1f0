/* path_pattern.c - Implements the public functions for patterns and renames of
 * paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/structure.h>

#include <string.h>

#include "buffer.h"
#include "default_allocator.h"
#include "pattern.h"

bool varve_path_matches(const char *patterns, const char *path)
{
    return path && vv_pattern_match(patterns, path);
}

static varve_status path_pattern_copy_out(
    struct vv_buffer *from, char *to, size_t size)
{
    const char *text = vv_buffer_string(from);
    if (from->failed)
        return VARVE_NO_MEMORY;
    if (from->size >= size)
        return VARVE_LIMIT;
    memcpy(to, text, from->size + 1);
    return VARVE_OK;
}

varve_status varve_path_rename(const char *from, const char *to,
    const char *path, char *renamed, size_t size)
{
    const varve_allocator allocator = vv_allocator_or_default(NULL);
    struct vv_buffer result;
    if (!from || !to || !path || !vv_pattern_same_wildcards(from, to))
        return VARVE_MISUSE;
    vv_buffer_init(&result, &allocator);
    varve_status status = VARVE_NOT_FOUND;
    if (vv_pattern_rename(from, to, path, &result))
        status = path_pattern_copy_out(&result, renamed, size);
    else if (result.failed)
        status = VARVE_NO_MEMORY;
    vv_buffer_clear(&result);
    return status;
}
