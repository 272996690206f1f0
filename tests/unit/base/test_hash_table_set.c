/* test_hash_table_set.c - Tests the hash table that recomputes hashes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "hash_table.h"

enum { KEYS = 400 };

static bool matches(const void *item, const void *key)
{
    return *(const int *)item == *(const int *)key;
}

/* A few different hashes, some at the end of the table, cause long runs that
 * wrap around. */
static uint64_t bad_hash(const void *item)
{
    int key = *(const int *)item;
    return key % 3 == 0 ? UINT64_MAX - (uint64_t)key % 7 : (uint64_t)key % 5;
}

static uint64_t good_hash(const void *item)
{
    return vv_map_mix((uint64_t) * (const int *)item);
}

static void check(const struct vv_set *set, const int *keys, const bool *there,
    vv_set_hash *hash)
{
    size_t count = 0;
    for (int key = 0; key < KEYS; key++) {
        const void *found = vv_set_find(set, hash(&key), matches, &key);
        cr_assert_eq(found, there[key] ? &keys[key] : NULL);
        count += there[key];
    }
    cr_assert_eq(set->count, count);
}

static void compare_with_a_list(vv_set_hash *hash, uint64_t seed)
{
    static int keys[KEYS];
    bool there[KEYS] = { false };
    struct vv_set set;
    vv_set_init(&set, test_allocator(), hash);
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t random = vv_map_mix(seed << 32 | i);
        int key = (int)(random % KEYS);
        bool growing = i / 500 % 2 == 0;
        keys[key] = key;
        if (random >> 32 & 3 ? !growing : growing) {
            vv_set_remove(&set, &keys[key]);
            there[key] = false;
        } else if (!there[key]) {
            cr_assert(vv_set_add(&set, &keys[key]));
            there[key] = true;
        }
        if (i % 10 == 0)
            check(&set, keys, there, hash);
    }
    vv_set_clear(&set);
    check(&set, keys, (bool[KEYS]){ false }, hash);
}

TEST(set, finds_the_items_added_and_not_removed)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        compare_with_a_list(bad_hash, seed);
        compare_with_a_list(good_hash, seed);
    }
}

/* Counts comparisons of items: other items are skipped by the part of the hash
 * that is stored. */
static int looks;

static bool counts(const void *item, const void *key)
{
    looks++;
    return matches(item, key);
}

TEST(set, compares_few_other_items)
{
    static int keys[KEYS];
    struct vv_set set;
    vv_set_init(&set, test_allocator(), good_hash);
    for (int key = 0; key < KEYS; key++) {
        keys[key] = key;
        cr_assert(vv_set_add(&set, &keys[key]));
    }
    looks = 0;
    for (int key = 0; key < 2 * KEYS; key++)
        vv_set_find(&set, good_hash(&key), counts, &key);
    cr_assert_geq(looks, KEYS);
    cr_assert_leq(looks, UINTPTR_MAX > UINT32_MAX ? KEYS + 2 : 4 * KEYS);
    vv_set_clear(&set);
}

/* Addresses in which every bit is used. They do not refer to memory and are not
 * dereferenced. */
static uint64_t hash_of_address(const void *item)
{
    return vv_map_mix((uintptr_t)item);
}

static bool is_same(const void *item, const void *key)
{
    return item == key;
}

static void *address_of(uintptr_t i, bool is_high)
{
    return (void *)(is_high ? ~(i * 16) : 16 + i * 16);
}

TEST(set, accepts_items_at_any_address)
{
    struct vv_set set;
    vv_set_init(&set, test_allocator(), hash_of_address);
    for (uintptr_t i = 0; i < KEYS; i++)
        cr_assert(vv_set_add(&set, address_of(i, i >= KEYS / 2)));
    for (uintptr_t i = 0; i < KEYS; i += 3)
        vv_set_remove(&set, address_of(i, i >= KEYS / 2));
    for (uintptr_t i = 0; i < KEYS; i++) {
        void *item = address_of(i, i >= KEYS / 2);
        cr_assert_eq(vv_set_find(&set, hash_of_address(item), is_same, item),
            i % 3 ? item : NULL);
    }
    vv_set_clear(&set);
}

TEST(set, needs_no_memory_for_reserved_items)
{
    static int keys[1000];
    for (size_t count = 1; count < 1000; count += 47) {
        struct vv_set set;
        vv_set_init(&set, test_allocator(), good_hash);
        cr_assert(vv_set_reserve(&set, count));
        test_fail_allocation(0, true);
        for (size_t i = 0; i < count; i++) {
            keys[i] = (int)i;
            cr_assert(vv_set_add(&set, &keys[i]));
        }
        test_fail_allocation(-1, false);
        vv_set_clear(&set);
    }
}

TEST(set, is_unchanged_if_it_cannot_grow)
{
    static int keys[KEYS];
    bool there[KEYS] = { false };
    struct vv_set set;
    int failures = 0;
    vv_set_init(&set, test_allocator(), good_hash);
    for (int key = 0; key < KEYS; key++) {
        keys[key] = key;
        test_fail_allocation(0, false);
        there[key] = vv_set_add(&set, &keys[key]);
        failures += !there[key];
        check(&set, keys, there, good_hash);
        test_fail_allocation(-1, false);
        if (!there[key])
            cr_assert(vv_set_add(&set, &keys[key]));
        there[key] = true;
    }
    cr_assert_gt(failures, 4);
    cr_assert_not(vv_set_reserve(&set, SIZE_MAX));
    cr_assert_not(vv_set_reserve(&set, SIZE_MAX / 16));
    check(&set, keys, there, good_hash);
    vv_set_clear(&set);
    cr_assert_not(vv_set_reserve(&set, SIZE_MAX)); /* of an empty set */
}
