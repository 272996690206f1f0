/* path_end.c - Writes backward, so that a long path costs only what is shown.
 *
 * SPDX-License-Identifier: MIT
 */
#include "path_end.h"

#include <string.h>

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

/* Returns true if 8 bytes are all from '+' to '{' and none is '/'. Such
 * characters are not escaped. */
static inline bool are_plain(uint64_t bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t high = 0x80 * ones, low = bytes & ~high;
    const uint64_t from_plus = low + (0x80 - '+') * ones;
    const uint64_t past_brace = low + (0x80 - '|') * ones;
    const uint64_t no_slash = (low ^ '/' * ones) + 0x7f * ones;
    return !((bytes | ~from_plus | past_brace | ~no_slash) & high);
}

/* Returns true for most names that need no escape, without looking at each
 * character. */
static bool is_plain(const char *name, size_t size)
{
    uint64_t bytes = '0' * UINT64_C(0x0101010101010101);
    if (size < sizeof bytes) {
        memcpy(&bytes, name, size);
        return are_plain(bytes);
    }
    for (size_t i = 0; i + sizeof bytes < size; i += sizeof bytes) {
        memcpy(&bytes, name + i, sizeof bytes);
        if (!are_plain(bytes))
            return false;
    }
    memcpy(&bytes, name + size - sizeof bytes, sizeof bytes);
    return are_plain(bytes);
}

size_t vv_path_name_size(const char *name, size_t size)
{
    size_t sum = size;
    if (is_plain(name, size))
        return size;
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
    if ((size_t)(end->at - end->begin) >= size && is_plain(name, size)) {
        end->at -= size;
        memcpy(end->at, name, size);
        return;
    }
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
