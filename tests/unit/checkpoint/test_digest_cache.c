/* test_digest_cache.c - Tests the cache of digests.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "digest_cache.h"

static const varve_allocator *allocator(void)
{
    return &world.context.allocator;
}

static struct vv_known_digests *new_sums(
    const varve_node *root, uint32_t moment)
{
    static const uint8_t digests[2 * VV_DIGEST_SIZE] = { 1, 2, 3 };
    static const uint8_t sizes[16] = { 4 };
    const struct vv_index index = { .digests = digests,
        .digest_count = 2,
        .value_sizes = sizes,
        .value_count = 2 };
    struct vv_known_digests *known = vv_known_digests_new(allocator(), &index);
    cr_assert(known);
    known->root = root;
    known->moment = moment;
    return known;
}

static uint32_t take_moment(struct vv_digest_cache *cache,
    const varve_node *root, uint32_t oldest)
{
    struct vv_known_digests *known =
        vv_digest_cache_take(cache, allocator(), root, oldest);
    uint32_t moment = known ? known->moment : 0;
    vv_known_digests_free(allocator(), known);
    return moment;
}

TEST(digest_cache, has_one_entry_for_each_root)
{
    begin_world();
    varve_node *one = new_root(), *other = new_root();
    long blocks = test_block_count();
    struct vv_digest_cache cache = { NULL };
    vv_digest_cache_put(&cache, allocator(), new_sums(one, 3));
    vv_digest_cache_put(&cache, allocator(), new_sums(other, 4));
    vv_digest_cache_put(&cache, allocator(), new_sums(one, 6));
    vv_digest_cache_put(
        &cache, allocator(), new_sums(one, 5)); /* is not the most recent one */
    cr_assert_eq(take_moment(&cache, one, 0), 6);
    cr_assert_eq(take_moment(&cache, one, 0), 0);
    cr_assert_eq(take_moment(&cache, other, 0), 4);
    vv_digest_cache_put(&cache, allocator(), new_sums(one, 7));
    vv_digest_cache_clear(&cache, allocator());
    cr_assert_eq(test_block_count(), blocks);
    free_root(one);
    free_root(other);
    end_world();
}

TEST(digest_cache, drops_old_entries)
{
    begin_world();
    varve_node *one = new_root(), *other = new_root();
    struct vv_digest_cache cache = { NULL };
    vv_digest_cache_put(&cache, allocator(), new_sums(one, 3));
    vv_digest_cache_put(&cache, allocator(), new_sums(other, 4));
    cr_assert_eq(take_moment(&cache, one, 4), 0);
    cr_assert_eq(take_moment(&cache, one, 0), 0);
    cr_assert_eq(take_moment(&cache, other, 4), 4);
    vv_digest_cache_clear(&cache, allocator());
    free_root(one);
    free_root(other);
    end_world();
}
