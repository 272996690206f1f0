/* path_end.c - Writes backward, so that a long path costs only what is shown.
 *
 * SPDX-License-Identifier: MIT
 */
#include "path_end.h"

/* More than a character or an escape, which a path is not cut within. */
enum { MARGIN = 8 };

/* As vv_path_escapes, inline. */
static inline bool path_end_escapes(unsigned char c)
{
    const uint64_t low = UINT64_C(0xffffffff) | UINT64_C(1) << '%' |
                         UINT64_C(1) << '(' | UINT64_C(1) << ')' |
                         UINT64_C(1) << '*' | UINT64_C(1) << '/';
    return c < 64 ? low >> c & 1 : c == '|' || c == 0x7f;
}

size_t vv_path_name_size(const char *name, size_t size)
{
    size_t sum = size;
    for (size_t i = 0; i < size; i++)
        sum += path_end_escapes((unsigned char)name[i]) ? 2 : 0;
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

void vv_path_end_add_name(
    struct vv_path_end *end, const char *name, size_t size)
{
    while (size > 0 && end->at > end->begin) {
        unsigned char c = (unsigned char)name[--size];
        if (path_end_escapes(c))
            path_end_escape(end, c);
        else
            *--end->at = c;
    }
}

void vv_path_end_finish(const struct vv_path_end *end, struct vv_buffer *path)
{
    if (end->is_long)
        vv_path_keep_end(path, end->longest);
}
