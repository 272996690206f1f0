/* map.c - A hash table with linear probing, at most three quarters full.
 * Removal shifts items back, so there are no tombstones. set.c explains why it
 * is a separate implementation.
 *
 * SPDX-License-Identifier: MIT
 */
#include "map.h"

#include "allocator.h"

void vv_map_init(struct vv_map *map, const varve_allocator *allocator)
{
    *map = (struct vv_map){ .allocator = allocator };
}

void vv_map_clear(struct vv_map *map)
{
    vv_release(map->allocator, map->slots, map->capacity * sizeof *map->slots);
    vv_map_init(map, map->allocator);
}

static void map_place(struct vv_map *map, struct vv_map_slot slot)
{
    size_t mask = map->capacity - 1;
    size_t at = (size_t)slot.hash & mask;
    while (map->slots[at].item)
        at = (at + 1) & mask;
    map->slots[at] = slot;
}

static bool map_resize(struct vv_map *map, size_t capacity)
{
    struct vv_map old = *map;
    size_t size;
    if (__builtin_mul_overflow(capacity, sizeof *map->slots, &size))
        return false;
    map->slots = vv_allocate_zeroed(map->allocator, size);
    if (!map->slots) {
        *map = old;
        return false;
    }
    map->capacity = capacity;
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].item)
            map_place(map, old.slots[i]);
    }
    vv_release(map->allocator, old.slots, old.capacity * sizeof *old.slots);
    return true;
}

bool vv_map_reserve(struct vv_map *map, size_t count)
{
    size_t places = vv_map_places(map->capacity, count);
    return places && (places == map->capacity || map_resize(map, places));
}

void *vv_map_find(const struct vv_map *map, uint64_t hash, vv_map_match *match,
    const void *key)
{
    if (map->capacity == 0)
        return NULL;
    size_t mask = map->capacity - 1;
    for (size_t at = (size_t)hash & mask; map->slots[at].item;
         at = (at + 1) & mask) {
        const struct vv_map_slot *slot = &map->slots[at];
        if (slot->hash == hash && match(slot->item, key))
            return slot->item;
    }
    return NULL;
}

bool vv_map_add(struct vv_map *map, uint64_t hash, void *item)
{
    if (!vv_map_reserve(map, map->count + 1))
        return false;
    map_place(map, (struct vv_map_slot){ .item = item, .hash = hash });
    map->count++;
    return true;
}

void vv_map_remove(struct vv_map *map, uint64_t hash, const void *item)
{
    if (map->capacity == 0)
        return;
    size_t mask = map->capacity - 1;
    size_t at = (size_t)hash & mask;
    while (map->slots[at].item != item) {
        if (!map->slots[at].item)
            return;
        at = (at + 1) & mask;
    }
    /* Later items of the same run move into the gap, unless their home slot is
     * after it. */
    for (size_t next = (at + 1) & mask; map->slots[next].item;
         next = (next + 1) & mask) {
        size_t home = (size_t)map->slots[next].hash & mask;
        if (((next - home) & mask) >= ((next - at) & mask)) {
            map->slots[at] = map->slots[next];
            at = next;
        }
    }
    map->slots[at].item = NULL;
    map->count--;
}
