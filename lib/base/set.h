/* set.h - Like map.h, for items whose hash can be computed: 8 bytes per place
 * instead of 16. The unused bits of the address contain a part of the hash, so
 * that other items are rarely accessed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SET_H
#define VV_SET_H

#include "map.h"

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
