/* test_hash_table.c - Tests the hash table for items with stored hashes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdlib.h>

#include "hash_table.h"

static bool matches(const void *item, const void *key)
{
    return *(const int *)item == *(const int *)key;
}

static uint64_t random_state;

static uint64_t random_number(void)
{
    return random_state = vv_map_mix(random_state + 0x9e3779b97f4a7c15);
}

/* A few different hashes, some at the end of the table, cause long runs that
 * wrap around. */
static uint64_t bad_hash(int key)
{
    return key % 3 == 0 ? UINT64_MAX - (uint64_t)key % 7 : (uint64_t)key % 5;
}

static uint64_t good_hash(int key)
{
    return vv_map_mix((uint64_t)key);
}

enum { KEYS = 400 };

static void check(const struct vv_map *map, const int *keys, const bool *there,
    uint64_t (*hash)(int))
{
    size_t count = 0;
    for (int key = 0; key < KEYS; key++) {
        const void *found = vv_map_find(map, hash(key), matches, &key);
        cr_assert_eq(found, there[key] ? &keys[key] : NULL);
        count += there[key];
    }
    cr_assert_eq(map->count, count);
}

static void compare_with_a_list(uint64_t (*hash)(int), uint64_t seed)
{
    static int keys[KEYS];
    bool there[KEYS] = { false };
    struct vv_map map;
    random_state = seed;
    vv_map_init(&map, test_allocator());
    for (int i = 0; i < 3000; i++) {
        int key = (int)(random_number() % KEYS);
        bool growing = i / 500 % 2 == 0;
        keys[key] = key;
        if (random_number() % 4 == 0 ? growing : !growing) {
            vv_map_remove(&map, hash(key), &keys[key]);
            there[key] = false;
        } else if (!there[key]) {
            cr_assert(vv_map_add(&map, hash(key), &keys[key]));
            there[key] = true;
        }
        if (i % 10 == 0)
            check(&map, keys, there, hash);
    }
    vv_map_clear(&map);
    check(&map, keys, (bool[KEYS]){ false }, hash);
}

TEST(map, finds_the_items_added_and_not_removed)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        compare_with_a_list(bad_hash, seed);
        compare_with_a_list(good_hash, seed);
    }
}

TEST(map, distinguishes_items_with_equal_hashes)
{
    int keys[] = { 1, 2, 3 };
    struct vv_map map;
    vv_map_init(&map, test_allocator());
    for (int i = 0; i < 3; i++)
        cr_assert(vv_map_add(&map, 77, &keys[i]));
    vv_map_remove(&map, 77, &keys[1]);
    cr_assert_eq(vv_map_find(&map, 77, matches, &keys[2]), &keys[2]);
    cr_assert_null(vv_map_find(&map, 77, matches, &keys[1]));
    cr_assert_null(vv_map_find(&map, 78, matches, &keys[2]));
    vv_map_clear(&map);
}

TEST(map, needs_no_memory_for_reserved_items)
{
    static int keys[1000];
    for (size_t count = 1; count < 1000; count += 47) {
        struct vv_map map;
        vv_map_init(&map, test_allocator());
        cr_assert(vv_map_reserve(&map, count));
        test_fail_allocation(0, true);
        for (size_t i = 0; i < count; i++) {
            keys[i] = (int)i;
            cr_assert(vv_map_add(&map, good_hash(keys[i]), &keys[i]));
        }
        test_fail_allocation(-1, false);
        vv_map_clear(&map);
    }
}

TEST(map, is_unchanged_if_it_cannot_grow)
{
    static int keys[KEYS];
    bool there[KEYS] = { false };
    struct vv_map map;
    int failures = 0;
    vv_map_init(&map, test_allocator());
    for (int key = 0; key < KEYS; key++) {
        keys[key] = key;
        test_fail_allocation(0, false);
        there[key] = vv_map_add(&map, good_hash(key), &keys[key]);
        failures += !there[key];
        check(&map, keys, there, good_hash);
        test_fail_allocation(-1, false);
        if (!there[key])
            cr_assert(vv_map_add(&map, good_hash(key), &keys[key]));
        there[key] = true;
    }
    cr_assert_gt(failures, 4);
    cr_assert_not(vv_map_reserve(&map, SIZE_MAX));
    cr_assert_not(vv_map_reserve(&map, SIZE_MAX / 32));
    check(&map, keys, there, good_hash);
    vv_map_clear(&map);
    cr_assert_not(vv_map_reserve(&map, SIZE_MAX)); /* of an empty map */
}
