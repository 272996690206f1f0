/* hash_table.h - Hash tables of pointers with open addressing: maps, and sets
 * that need less memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HASH_TABLE_H
#define VV_HASH_TABLE_H

#include <varve/allocator.h>

/* --- Maps ----------------------------------------------------------------- */

/* A hash table of pointers with open addressing. The caller provides hashes and
 * a match function; the keys are in the items. */

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

/* --- Sets ----------------------------------------------------------------- */

/* Like a map, for items whose hash can be computed: 8 bytes per place instead
 * of
 * 16. The unused bits of the address contain a part of the hash, so that other
 * items are rarely accessed. */

typedef uint64_t vv_set_hash(const void *item);

struct vv_set {
    /* to read */
    const varve_allocator *allocator;
    size_t capacity; /* 0 or a power of two */
    size_t count;
    /* own */
    vv_set_hash *hash_of;
    /* 0: empty; otherwise an address combined with bits of its hash */
    uintptr_t *places;
    /* mask of these bits, which are 0 in the address of each item */
    uintptr_t tag;
};

/* The hash of an item must not change while it is in the set. */
void vv_set_init(
    struct vv_set *set, const varve_allocator *allocator, vv_set_hash *hash_of);
void vv_set_clear(struct vv_set *set);

/* Reserves room for `count` items in all, so that vv_set_add cannot fail up to
 * this count. */
bool vv_set_reserve(struct vv_set *set, size_t count);

/* Returns the item at a place below the capacity, or NULL. */
static inline void *vv_set_at(const struct vv_set *set, size_t place)
{
    return (void *)(set->places[place] & ~set->tag);
}

/* Returns the item with this key, whose hash is `hash`, or NULL. */
void *vv_set_find(const struct vv_set *set, uint64_t hash, vv_map_match *match,
    const void *key);

/* Adds an item whose key is not in the set. Returns false if there is no
 * memory. */
bool vv_set_add(struct vv_set *set, void *item);

/* Removes this item, compared by address, if the set contains it. */
void vv_set_remove(struct vv_set *set, const void *item);

#endif
