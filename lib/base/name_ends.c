/* name_ends.c - Computes the ends of patterns, and the keys of ends.
 *
 * SPDX-License-Identifier: MIT
 */
#include "name_ends.h"

#include <string.h>

#include "checksum.h"
#include "map.h"
#include "name.h"

static uint64_t key_of_ends(struct vv_text begin, struct vv_text end)
{
    uint64_t key = 1;
    if (begin.size)
        key = vv_hash_of(begin.bytes, begin.size);
    if (end.size)
        key = vv_map_mix(key + vv_hash_of(end.bytes, end.size));
    return key;
}

static bool is_wildcard(char c, bool only_stars)
{
    return c == '*' || (!only_stars && (c == '?' || c == '[' || c == ']'));
}

/* Unescapes an end behind the content of `scratch`. Returns its size: 0 if it
 * is not valid UTF-8, because then names with other bytes may match it. */
static size_t unescape_end(struct vv_text end, struct vv_buffer *scratch)
{
    size_t before = scratch->size;
    vv_name_pattern_unescape(end, scratch);
    const char *bytes = vv_buffer_string(scratch);
    size_t size = scratch->failed ? 0 : scratch->size - before;
    return size && vv_utf8_is_valid(bytes + before, size) ? size : 0;
}

void vv_name_ends_of(struct vv_text pattern, bool only_stars,
    struct vv_buffer *scratch, struct vv_name_ends *ends, uint64_t *key)
{
    size_t first = 0, behind = pattern.size;
    while (
        first < pattern.size && !is_wildcard(pattern.bytes[first], only_stars))
        first++;
    while (
        behind > first && !is_wildcard(pattern.bytes[behind - 1], only_stars))
        behind--;
    bool is_literal = first == pattern.size;
    scratch->size = 0;
    size_t begin =
        unescape_end((struct vv_text){ pattern.bytes, first }, scratch);
    size_t at = scratch->size;
    size_t end = is_literal
                     ? 0
                     : unescape_end((struct vv_text){ pattern.bytes + behind,
                                        pattern.size - behind },
                           scratch);
    const char *bytes = vv_buffer_string(scratch);
    *key = key_of_ends(
        (struct vv_text){ bytes, begin }, (struct vv_text){ bytes + at, end });
    *ends = (struct vv_name_ends){ (uint32_t)begin, (uint32_t)end };
    if (is_literal && begin)
        ends->begin = UINT32_MAX;
}

bool vv_name_ends_key(
    struct vv_text name, struct vv_name_ends ends, uint64_t *key)
{
    if (ends.begin == UINT32_MAX) {
        *key = key_of_ends(name, (struct vv_text){ NULL, 0 });
        return true;
    }
    if ((size_t)ends.begin + ends.end > name.size)
        return false;
    *key = key_of_ends((struct vv_text){ name.bytes, ends.begin },
        (struct vv_text){ name.bytes + name.size - ends.end, ends.end });
    return true;
}
