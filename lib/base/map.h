/* map.h - A hash table of pointers with open addressing. The caller provides
 * hashes and a match function; the keys are in the items.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MAP_H
#define VV_MAP_H

#include <varve/allocator.h>

struct vv_map_slot {
    /* to read */
    void *item; /* NULL: empty */
    /* own */
    uint64_t hash;
};

struct vv_map {
    /* to read */
    const varve_allocator *allocator;
    struct vv_map_slot *slots;
    size_t capacity; /* 0 or a power of two */
    size_t count;
};

/* Returns true if an item has this key. */
typedef bool vv_map_match(const void *item, const void *key);

void vv_map_init(struct vv_map *map, const varve_allocator *allocator);
void vv_map_clear(struct vv_map *map);

/* Reserves room for `count` items in all, so that vv_map_add cannot fail up to
 * this count. */
bool vv_map_reserve(struct vv_map *map, size_t count);

/* Returns the item with this key, or NULL. */
void *vv_map_find(const struct vv_map *map, uint64_t hash, vv_map_match *match,
    const void *key);

/* Adds an item whose key is not in the map. Returns false if there is no
 * memory. */
bool vv_map_add(struct vv_map *map, uint64_t hash, void *item);

/* Removes this item, compared by address, if the map contains it. */
void vv_map_remove(struct vv_map *map, uint64_t hash, const void *item);

/* Returns the capacity for `count` items of a table that now has `capacity`
 * slots: at most three quarters are used. Returns 0 on overflow. */
static inline size_t vv_map_places(size_t capacity, size_t count)
{
    capacity = capacity ? capacity : 16;
    while (count > capacity / 4 * 3) {
        if (__builtin_mul_overflow(capacity, (size_t)2, &capacity))
            return 0;
    }
    return capacity;
}

/* Mixes the bits of a number into a hash. */
static inline uint64_t vv_map_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

#endif
