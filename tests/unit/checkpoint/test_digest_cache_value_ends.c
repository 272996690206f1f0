/* test_digest_cache_value_ends.c - Tests the recorded digests of the ends of
 * values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "digest_cache.h"

#include "support/test_context.h"

static const uint8_t first[3] = { 1, 2, 3 };
static uint8_t second[5];

static struct vv_value_ends new_ends(void)
{
    struct vv_value_ends ends;
    vv_value_ends_init(&ends, test_allocator());
    return ends;
}

static uint32_t ask_first(struct vv_value_ends *ends, uint32_t moment)
{
    return vv_value_ends_since(ends, first, sizeof first, moment);
}

static uint32_t ask_second(struct vv_value_ends *ends, uint32_t moment)
{
    return vv_value_ends_since(ends, second, sizeof second, moment);
}

TEST(value_ends, are_unchanged_since_their_last_change)
{
    struct vv_value_ends ends = new_ends();
    second[4] = 0;
    for (uint32_t moment = 1; moment < 6; moment++) {
        second[4] = moment < 3 ? 1 : 2;
        vv_value_ends_begin(&ends);
        cr_assert_eq(ask_first(&ends, moment), 1);
        cr_assert_eq(ask_second(&ends, moment), moment < 3 ? 1 : 3);
    }
    vv_value_ends_clear(&ends);
}

/* Equal digests, but different ones in between. */
TEST(value_ends, that_change_and_revert_are_new)
{
    struct vv_value_ends ends = new_ends();
    for (uint32_t moment = 1; moment < 4; moment++) {
        second[0] = moment == 2;
        vv_value_ends_begin(&ends);
        cr_assert_eq(ask_second(&ends, moment), moment);
    }
    vv_value_ends_clear(&ends);
}

TEST(value_ends, of_another_value_at_this_address_are_new)
{
    struct vv_value_ends ends = new_ends();
    vv_value_ends_begin(&ends);
    cr_assert_eq(ask_second(&ends, 1), 1);
    vv_value_ends_begin(&ends);
    cr_assert_eq(vv_value_ends_since(&ends, second, sizeof second - 1, 2), 2);
    vv_value_ends_begin(&ends);
    cr_assert_eq(vv_value_ends_since(&ends, second + 1, 4, 3), 3);
    vv_value_ends_clear(&ends);
}

/* A change that was reverted would not have been seen. */
TEST(value_ends, that_a_check_omitted_are_dropped)
{
    struct vv_value_ends ends = new_ends();
    vv_value_ends_begin(&ends);
    ask_first(&ends, 1);
    ask_second(&ends, 1);
    vv_value_ends_begin(&ends);
    cr_assert_eq(ask_first(&ends, 2), 1);
    vv_value_ends_begin(&ends);
    cr_assert_eq(ask_first(&ends, 3), 1);
    cr_assert_eq(ask_second(&ends, 3), 3);
    vv_value_ends_forget(&ends);
    vv_value_ends_begin(&ends);
    cr_assert_eq(ask_first(&ends, 4), 4);
    vv_value_ends_clear(&ends);
}

TEST(value_ends, are_new_without_memory)
{
    struct vv_value_ends ends = new_ends();
    for (uint32_t moment = 1; moment < 4; moment++) {
        test_fail_allocation(moment < 3 ? 0 : -1, false);
        vv_value_ends_begin(&ends);
        cr_assert_eq(ask_first(&ends, moment), moment);
        cr_assert_eq(ask_second(&ends, moment), moment);
        test_fail_allocation(-1, false);
    }
    vv_value_ends_begin(&ends);
    cr_assert_eq(ask_first(&ends, 4), 3);
    vv_value_ends_clear(&ends);
}
