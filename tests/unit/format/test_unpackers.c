/* test_unpackers.c - Tests the pool of decompression contexts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "support/test_context.h"
#include "unpackers.h"

TEST(unpackers, are_given_to_one_at_a_time_and_kept_for_the_next)
{
    const struct vv_context context = test_context(NULL);
    struct vv_unpackers unpackers = { .idle = { NULL } };
    struct vv_unpacker *one = vv_unpackers_take(&unpackers, &context);
    struct vv_unpacker *other = vv_unpackers_take(&unpackers, &context);
    cr_assert(one && other && one != other);
    vv_unpackers_give(&unpackers, one);
    vv_unpackers_give(&unpackers, other);
    long made = test_block_count();
    struct vv_unpacker *again = vv_unpackers_take(&unpackers, &context);
    cr_assert(again == one || again == other);
    cr_assert_eq(test_block_count(), made);
    vv_unpackers_give(&unpackers, again);
    vv_unpackers_clear(&unpackers);
}

TEST(unpackers, are_kept_up_to_a_number)
{
    enum { MANY = VV_MAX_WORKERS + 3 };
    const struct vv_context context = test_context(NULL);
    struct vv_unpackers unpackers = { .idle = { NULL } };
    struct vv_unpacker *all[MANY];
    long before = test_block_count();
    for (int i = 0; i < MANY; i++)
        cr_assert(all[i] = vv_unpackers_take(&unpackers, &context));
    cr_assert_eq(test_block_count() - before, MANY);
    for (int i = 0; i < MANY; i++)
        vv_unpackers_give(&unpackers, all[i]);
    cr_assert_eq(test_block_count() - before, VV_MAX_WORKERS);
    vv_unpackers_clear(&unpackers);
    cr_assert_eq(test_block_count(), before);
    vv_unpackers_clear(&unpackers);
}

TEST(unpackers, are_none_without_memory)
{
    const struct vv_context context = test_context(NULL);
    struct vv_unpackers unpackers = { .idle = { NULL } };
    test_fail_allocation(0, false);
    cr_assert_null(vv_unpackers_take(&unpackers, &context));
    test_fail_allocation(-1, false);
}
