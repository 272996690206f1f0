/* path_end.c - Copies names that need no escapes at once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "path_end.h"

#include <string.h>

/* More than a character or an escape, which a path is not cut within. */
enum { MARGIN = 8 };

size_t vv_path_name_size(const char *name, size_t size)
{
    size_t sum = size;
    for (size_t i = 0; i < size; i++)
        sum += vv_path_escapes(name[i]) ? 2 : 0;
    return sum;
}

bool vv_path_end_begin(struct vv_path_end *end, struct vv_buffer *path,
    size_t size, size_t longest)
{
    bool is_long = size > longest;
    size_t kept = vv_path_kept(longest) + MARGIN;
    size_t room = is_long && size > kept ? kept : size;
    path->size = 0;
    unsigned char *begin = vv_buffer_extend(path, room);
    *end = (struct vv_path_end){ begin, begin, longest, is_long };
    if (!begin)
        return false;
    end->at += room;
    return true;
}

void vv_path_end_add(struct vv_path_end *end, char c)
{
    if (end->at > end->begin)
        *--end->at = (unsigned char)c;
}

static void path_end_escape(struct vv_path_end *end, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";
    vv_path_end_add(end, digits[c & 15]);
    vv_path_end_add(end, digits[c >> 4]);
    vv_path_end_add(end, '%');
}

static void path_end_copy(
    struct vv_path_end *end, const char *bytes, size_t size)
{
    size_t room = (size_t)(end->at - end->begin);
    size_t count = size < room ? size : room;
    end->at -= count;
    if (count)
        memcpy(end->at, bytes + size - count, count);
}

void vv_path_end_add_name(
    struct vv_path_end *end, const char *name, size_t size)
{
    size_t room = (size_t)(end->at - end->begin);
    size_t least = size > room ? size - room : 0;
    size_t plain = size; /* where the bytes that are written begin */
    for (size_t i = size; i > least; i--) {
        if (!vv_path_escapes(name[i - 1]))
            continue;
        path_end_copy(end, name + i, plain - i);
        path_end_escape(end, (unsigned char)name[i - 1]);
        plain = i - 1;
    }
    path_end_copy(end, name, plain);
}

void vv_path_end_finish(const struct vv_path_end *end, struct vv_buffer *path)
{
    if (end->is_long)
        vv_path_keep_end(path, end->longest);
}
