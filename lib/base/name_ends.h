/* name_ends.h - The literal bytes before the first and after the last wildcard
 * of a name pattern, for hash tables of patterns.
 *
 * Patterns with ends of the same sizes are in one table, by a key of those
 * bytes. The key of the same bytes of a name finds all patterns of the table
 * that may match the name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NAME_ENDS_H
#define VV_NAME_ENDS_H

#include "buffer.h"
#include "name_pattern.h"

struct vv_name_ends {
    uint32_t begin; /* bytes; UINT32_MAX: the pattern is literal, and `end` is 0
                     */
    uint32_t end;
};

/* Sets *ends to the ends of a pattern of one name, unescaped, and *key to their
 * key. If `only_stars` is true, `?` and `[` are no wildcards. `scratch` fails
 * if out of memory. */
void vv_name_ends_of(struct vv_text pattern, bool only_stars,
    struct vv_buffer *scratch, struct vv_name_ends *ends, uint64_t *key);

/* Sets *key to the key of a name. Returns false if the name is too short for
 * the ends. */
bool vv_name_ends_key(
    struct vv_text name, struct vv_name_ends ends, uint64_t *key);

#endif
