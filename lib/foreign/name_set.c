/* name_set.c - Stores copies of names in a hash map.
 *
 * SPDX-License-Identifier: MIT
 */
#include "name_set.h"

#include <string.h>

#include "checksum.h"

struct name {
    const char *bytes;
    size_t size;
};

void vv_taken_init(struct vv_taken *taken, const varve_allocator *allocator)
{
    vv_arena_init(&taken->arena, allocator);
    vv_map_init(&taken->names, allocator);
}

void vv_taken_clear(struct vv_taken *taken)
{
    vv_map_clear(&taken->names);
    vv_arena_clear(&taken->arena);
}

static bool name_set_is_same(const void *item, const void *key)
{
    const struct name *a = item, *b = key;
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

bool vv_taken_add(
    struct vv_taken *taken, const char *bytes, size_t size, bool *is_new)
{
    struct name key = { bytes, size };
    uint64_t hash = vv_hash_of(bytes, size);
    *is_new = !vv_map_find(&taken->names, hash, name_set_is_same, &key);
    if (!*is_new)
        return true;
    struct name *name = vv_arena_take(&taken->arena, sizeof *name);
    key.bytes = vv_arena_text(&taken->arena, bytes, size);
    if (!name || !key.bytes)
        return false;
    *name = key;
    return vv_map_add(&taken->names, hash, name);
}
