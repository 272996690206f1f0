/* set.c - linear probing as in map.c, hashes made anew.
 *
 * Neither is made of the other: on a map each place of a set would have a hash,
 * twice its memory, and on a set each item of a map would need room for its own
 * hash, or a key that makes it, which many have not.
 *
 * SPDX-License-Identifier: MIT
 */
#include "set.h"

#include "allocator.h"

/* Items that are moved are all over memory: those that come next are fetched
 * ahead. */
enum { FETCHED_AHEAD = 8 };

void vv_set_init(
    struct vv_set *set, const varve_allocator *allocator, vv_set_hash *hash_of)
{
    *set = (struct vv_set){ .allocator = allocator, .hash_of = hash_of };
}

void vv_set_clear(struct vv_set *set)
{
    vv_release(set->allocator, set->items, set->capacity * sizeof *set->items);
    vv_set_init(set, set->allocator, set->hash_of);
}

static void place(struct vv_set *set, void *item)
{
    size_t mask = set->capacity - 1;
    size_t at = (size_t)set->hash_of(item) & mask;
    while (set->items[at])
        at = (at + 1) & mask;
    set->items[at] = item;
}

static bool resize(struct vv_set *set, size_t capacity)
{
    struct vv_set old = *set;
    size_t size;
    if (__builtin_mul_overflow(capacity, sizeof *set->items, &size))
        return false;
    set->items = vv_allocate_zeroed(set->allocator, size);
    if (!set->items) {
        *set = old;
        return false;
    }
    set->capacity = capacity;
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.capacity - i > FETCHED_AHEAD)
            __builtin_prefetch(old.items[i + FETCHED_AHEAD]);
        if (old.items[i])
            place(set, old.items[i]);
    }
    vv_release(set->allocator, old.items, old.capacity * sizeof *old.items);
    return true;
}

bool vv_set_reserve(struct vv_set *set, size_t count)
{
    size_t places = vv_map_places(set->capacity, count);
    return places && (places == set->capacity || resize(set, places));
}

void *vv_set_find(const struct vv_set *set, uint64_t hash, vv_map_match *match,
    const void *key)
{
    if (set->capacity == 0)
        return NULL;
    size_t mask = set->capacity - 1;
    size_t at = (size_t)hash & mask;
    while (set->items[at] && !match(set->items[at], key))
        at = (at + 1) & mask;
    return set->items[at];
}

bool vv_set_add(struct vv_set *set, void *item)
{
    if (!vv_set_reserve(set, set->count + 1))
        return false;
    place(set, item);
    set->count++;
    return true;
}

void vv_set_remove(struct vv_set *set, const void *item)
{
    if (set->capacity == 0)
        return;
    size_t mask = set->capacity - 1;
    size_t at = (size_t)set->hash_of(item) & mask;
    while (set->items[at] != item) {
        if (!set->items[at])
            return;
        at = (at + 1) & mask;
    }
    /* As in vv_map_remove. */
    for (size_t next = (at + 1) & mask; set->items[next];
         next = (next + 1) & mask) {
        size_t home = (size_t)set->hash_of(set->items[next]) & mask;
        if (((next - home) & mask) >= ((next - at) & mask)) {
            set->items[at] = set->items[next];
            at = next;
        }
    }
    set->items[at] = NULL;
    set->count--;
}
