/* test_digest_cache.c - lib/checkpoint/save/digest_cache.c
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
    struct vv_known_digests *sums = vv_sums_new(allocator(), &index);
    cr_assert(sums);
    sums->root = root;
    sums->moment = moment;
    return sums;
}

static uint32_t take_moment(struct vv_digest_cache *indexed_pool,
    const varve_node *root, uint32_t oldest)
{
    struct vv_known_digests *sums =
        vv_sums_take(indexed_pool, allocator(), root, oldest);
    uint32_t moment = sums ? sums->moment : 0;
    vv_sums_free(allocator(), sums);
    return moment;
}

TEST(sums, are_one_for_each_root)
{
    begin_world();
    varve_node *one = new_root(), *other = new_root();
    long blocks = test_block_count();
    struct vv_digest_cache indexed_pool = { NULL };
    vv_sums_put(&indexed_pool, allocator(), new_sums(one, 3));
    vv_sums_put(&indexed_pool, allocator(), new_sums(other, 4));
    vv_sums_put(&indexed_pool, allocator(), new_sums(one, 6));
    vv_sums_put(
        &indexed_pool, allocator(), new_sums(one, 5)); /* is not the last */
    cr_assert_eq(take_moment(&indexed_pool, one, 0), 6);
    cr_assert_eq(take_moment(&indexed_pool, one, 0), 0);
    cr_assert_eq(take_moment(&indexed_pool, other, 0), 4);
    vv_sums_put(&indexed_pool, allocator(), new_sums(one, 7));
    vv_sums_clear(&indexed_pool, allocator());
    cr_assert_eq(test_block_count(), blocks);
    free_root(one);
    free_root(other);
    end_world();
}

TEST(sums, are_forgotten_where_they_are_old)
{
    begin_world();
    varve_node *one = new_root(), *other = new_root();
    struct vv_digest_cache indexed_pool = { NULL };
    vv_sums_put(&indexed_pool, allocator(), new_sums(one, 3));
    vv_sums_put(&indexed_pool, allocator(), new_sums(other, 4));
    cr_assert_eq(take_moment(&indexed_pool, one, 4), 0);
    cr_assert_eq(take_moment(&indexed_pool, one, 0), 0);
    cr_assert_eq(take_moment(&indexed_pool, other, 4), 4);
    vv_sums_clear(&indexed_pool, allocator());
    free_root(one);
    free_root(other);
    end_world();
}
