/* hash_table.c - Implements the two hash tables of the library, both with
 * linear probing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hash_table.h"

#include "allocator.h"

/* --- Maps ----------------------------------------------------------------- */

/* A hash table with linear probing, at most three quarters full. Removal shifts
 * items back, so there are no tombstones. The comment on sets explains why they
 * are a separate implementation. */

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

/* --- Sets ----------------------------------------------------------------- */

/* A hash table with linear probing, as a map, that recomputes hashes.
 *
 * Neither is based on the other. On a map each place of a set would store a
 * hash, which doubles its memory. On a set each item of a map would need to
 * store its hash or to compute it from a key, which many items do not have. */

/* The bits that addresses of current machines do not use. */
static const uintptr_t most_tag = (uintptr_t)(UINT64_C(0xffff) << 48);

/* Items that are moved are scattered in memory, so the next ones are
 * prefetched. */
enum { FETCHED_AHEAD = 8 };

void vv_set_init(
    struct vv_set *set, const varve_allocator *allocator, vv_set_hash *hash_of)
{
    *set = (struct vv_set){
        .allocator = allocator,
        .hash_of = hash_of,
        .tag = most_tag,
    };
}

void vv_set_clear(struct vv_set *set)
{
    vv_release(
        set->allocator, set->places, set->capacity * sizeof *set->places);
    vv_set_init(set, set->allocator, set->hash_of);
}

static void set_do_place(struct vv_set *set, void *item)
{
    size_t mask = set->capacity - 1;
    uint64_t hash = set->hash_of(item);
    size_t at = (size_t)hash & mask;
    while (set->places[at])
        at = (at + 1) & mask;
    set->places[at] = (uintptr_t)item | ((uintptr_t)hash & set->tag);
}

static bool set_resize(struct vv_set *set, size_t capacity)
{
    struct vv_set old = *set;
    size_t size;
    if (__builtin_mul_overflow(capacity, sizeof *set->places, &size))
        return false;
    set->places = vv_allocate_zeroed(set->allocator, size);
    if (!set->places) {
        *set = old;
        return false;
    }
    set->capacity = capacity;
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.capacity - i > FETCHED_AHEAD)
            __builtin_prefetch(vv_set_at(&old, i + FETCHED_AHEAD));
        if (old.places[i])
            set_do_place(set, vv_set_at(&old, i));
    }
    vv_release(set->allocator, old.places, old.capacity * sizeof *old.places);
    return true;
}

bool vv_set_reserve(struct vv_set *set, size_t count)
{
    size_t places = vv_map_places(set->capacity, count);
    return places && (places == set->capacity || set_resize(set, places));
}

void *vv_set_find(const struct vv_set *set, uint64_t hash, vv_map_match *match,
    const void *key)
{
    if (set->capacity == 0)
        return NULL;
    size_t mask = set->capacity - 1;
    uintptr_t tag = (uintptr_t)hash & set->tag;
    for (size_t at = (size_t)hash & mask; set->places[at];
         at = (at + 1) & mask) {
        if ((set->places[at] & set->tag) == tag &&
            match(vv_set_at(set, at), key))
            return vv_set_at(set, at);
    }
    return NULL;
}

/* Removes the hash bits from all places, because an allocator can return
 * addresses that use all bits. */
static void leave_out_hashes(struct vv_set *set)
{
    for (size_t i = 0; i < set->capacity; i++)
        set->places[i] &= ~set->tag;
    set->tag = 0;
}

bool vv_set_add(struct vv_set *set, void *item)
{
    if (!vv_set_reserve(set, set->count + 1))
        return false;
    if ((uintptr_t)item & set->tag)
        leave_out_hashes(set);
    set_do_place(set, item);
    set->count++;
    return true;
}

void vv_set_remove(struct vv_set *set, const void *item)
{
    if (set->capacity == 0)
        return;
    size_t mask = set->capacity - 1;
    size_t at = (size_t)set->hash_of(item) & mask;
    while (vv_set_at(set, at) != item) {
        if (!set->places[at])
            return;
        at = (at + 1) & mask;
    }
    /* See vv_map_remove. */
    for (size_t next = (at + 1) & mask; set->places[next];
         next = (next + 1) & mask) {
        size_t home = (size_t)set->hash_of(vv_set_at(set, next)) & mask;
        if (((next - home) & mask) >= ((next - at) & mask)) {
            set->places[at] = set->places[next];
            at = next;
        }
    }
    set->places[at] = 0;
    set->count--;
}
