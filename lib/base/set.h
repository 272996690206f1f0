/* set.h - as a map, of items that know their hash: 8 bytes for a place instead
 * of 16. Of the hash a place has what the address of the item leaves free, so
 * that other items are hardly ever looked at.
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
    uintptr_t *places; /* 0: empty; else an address, and some of its hash in */
    uintptr_t tag;     /* these bits, which are 0 in the address of each item */
};

/* The hash of an item does not change while it is in the set. */
void vv_set_init(
    struct vv_set *set, const varve_allocator *allocator, vv_set_hash *hash_of);
void vv_set_clear(struct vv_set *set);

/* Room for `count` items in all, so that as many vv_set_add cannot fail. */
bool vv_set_reserve(struct vv_set *set, size_t count);

/* What is in a place below the capacity, or NULL. */
static inline void *vv_set_at(const struct vv_set *set, size_t place)
{
    return (void *)(set->places[place] & ~set->tag);
}

/* The item with this key, whose hash is `hash`, or NULL. */
void *vv_set_find(const struct vv_set *set, uint64_t hash, vv_map_match *match,
    const void *key);

/* Adds an item whose key is not in the set; false without memory. */
bool vv_set_add(struct vv_set *set, void *item);

/* Removes this very item if it is there. */
void vv_set_remove(struct vv_set *set, const void *item);

#endif
