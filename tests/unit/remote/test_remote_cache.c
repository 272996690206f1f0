/* test_remote_cache.c - Tests the cache of file blocks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_cache.h"

#include <string.h>

#include "support/test.h"

enum { BLOCK = VV_REMOTE_BLOCK };

static const uint64_t file_size = 200 * (uint64_t)BLOCK + 100;
static struct vv_remote_cache cache;
static unsigned char block[BLOCK];

static void put(uint64_t number)
{
    size_t size = number == 200 ? 100 : BLOCK;
    memset(block, (int)number + 1, size);
    vv_remote_cache_put(&cache, number, block, size);
}

static size_t read_at(unsigned char *to, size_t size, uint64_t offset)
{
    return vv_remote_cached(&cache, to, size, offset);
}

TEST(remote_cache, returns_the_cached_bytes_from_the_offset)
{
    static unsigned char to[3 * BLOCK];
    put(3);
    put(4);
    cr_assert_eq(read_at(to, sizeof to, 3 * BLOCK + 10), 2 * BLOCK - 10);
    cr_assert_eq(to[0], 4);
    cr_assert_eq(to[BLOCK - 11], 4);
    cr_assert_eq(to[BLOCK - 10], 5);
    cr_assert_eq(read_at(to, sizeof to, 2 * BLOCK), 0);
    vv_remote_cache_clear(&cache);
    cr_assert_eq(read_at(to, 1, 3 * BLOCK), 0);
}

TEST(remote_cache, has_only_the_stored_bytes_of_the_last_block)
{
    unsigned char to[200];
    put(200);
    cr_assert_eq(read_at(to, 200, 200 * (uint64_t)BLOCK), 100);
    cr_assert_eq(to[99], 201);
    cr_assert_eq(read_at(to, 1, 200 * (uint64_t)BLOCK + 100), 0);
    vv_remote_cache_clear(&cache);
}

TEST(remote_cache, drops_the_least_recently_used_block)
{
    unsigned char to;
    for (uint64_t i = 0; i < VV_REMOTE_MOST_BLOCKS; i++)
        put(i);
    cr_assert_eq(read_at(&to, 1, 0), 1);
    put(100);
    cr_assert_eq(read_at(&to, 1, 0), 1);
    cr_assert_eq(read_at(&to, 1, BLOCK), 0);
    cr_assert_eq(read_at(&to, 1, 100 * (uint64_t)BLOCK), 1);
    vv_remote_cache_clear(&cache);
}

static unsigned reach(uint64_t block_number, uint64_t *first)
{
    return vv_remote_reach(
        &cache, file_size, 100, block_number * BLOCK + 5, first);
}

TEST(remote_cache, reads_further_ahead_while_reads_continue)
{
    uint64_t first = 0;
    cr_assert_eq(reach(10, &first), 1);
    cr_assert_eq(first, 10);
    cr_assert_eq(reach(11, &first), 2);
    cr_assert_eq(reach(13, &first), 4);
    cr_assert_eq(reach(50, &first), 1);
    vv_remote_cache_clear(&cache);
}

TEST(remote_cache, reads_ahead_as_far_as_requested)
{
    uint64_t first = 0;
    cache.hint_first = 20 * BLOCK;
    cache.hint_end = 25 * BLOCK;
    cr_assert_eq(reach(20, &first), 5);
    cache.hint_end = 90 * BLOCK;
    cr_assert_eq(reach(30, &first), VV_REMOTE_MOST_AHEAD);
    vv_remote_cache_clear(&cache);
}

TEST(remote_cache, never_reads_past_the_end)
{
    uint64_t first = 0;
    cache.hint_end = UINT64_MAX;
    cr_assert_eq(reach(199, &first), 2);
    cr_assert_eq(reach(200, &first), 2); /* the block before it is used */
    cr_assert_eq(first, 199);
    vv_remote_cache_clear(&cache);
}
