/* map.h - an open-addressing table of pointers, found by hash and by a match
 * function of the caller; the keys live in the items.
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

/* Whether an item has this key. */
typedef bool vv_map_match(const void *item, const void *key);

void vv_map_init(struct vv_map *map, const varve_allocator *allocator);
void vv_map_clear(struct vv_map *map);

/* Room for `count` items in all, so that as many vv_map_add cannot fail. */
bool vv_map_reserve(struct vv_map *map, size_t count);

/* The item with this key, or NULL. */
void *vv_map_find(const struct vv_map *map, uint64_t hash, vv_map_match *match,
    const void *key);

/* Adds an item whose key is not in the map; false without memory. */
bool vv_map_add(struct vv_map *map, uint64_t hash, void *item);

/* Removes this very item if it is there. */
void vv_map_remove(struct vv_map *map, uint64_t hash, const void *item);

/* How many places a table of `count` items has that now has `capacity`: at most
 * three quarters are taken. 0: more than there can be. */
static inline size_t vv_map_places(size_t capacity, size_t count)
{
    capacity = capacity ? capacity : 16;
    while (count > capacity / 4 * 3) {
        if (__builtin_mul_overflow(capacity, (size_t)2, &capacity))
            return 0;
    }
    return capacity;
}

/* Spreads the bits of a number. */
static inline uint64_t vv_map_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

#endif
