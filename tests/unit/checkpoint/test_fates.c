/* test_fates.c - lib/checkpoint/delivery/fates.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "fates.h"

TEST(fates, begin_with_all_that_waits_and_follow_the_table)
{
    struct vv_fates fates;
    cr_assert(vv_fates_begin(&fates, test_allocator(), 2, 3));
    cr_assert_eq(fates.of[0], VV_FATE_WAITING);
    vv_change_fate(&fates, 0, VV_FATE_DUE);
    cr_assert(!vv_is_final(&fates, 0));
    vv_change_fate(&fates, 0, VV_FATE_LENT);
    cr_assert(vv_is_final(&fates, 0) && vv_is_delivered(&fates, 0));
    vv_change_fate(&fates, 1, VV_FATE_EXCLUDED);
    cr_assert(vv_is_left_out(&fates, 1) && !vv_is_final(&fates, 1));
    vv_change_fate(&fates, 1, VV_FATE_DUE);
    vv_change_fate(&fates, 1, VV_FATE_DAMAGED);
    cr_assert(vv_is_given_up(&fates, 1) && !vv_is_delivered(&fates, 1));
    vv_fates_end(&fates);
}

TEST(fates, need_room_before_anything_is_dropped)
{
    struct vv_fates fates;
    cr_assert(vv_fates_begin(&fates, test_allocator(), 0, 3), "no values");
    cr_assert_not(vv_is_dropped(&fates, 2));
    test_fail_allocation(0, true);
    cr_assert_not(vv_make_room_to_drop(&fates));
    test_fail_allocation(-1, false);
    cr_assert(vv_make_room_to_drop(&fates));
    vv_set_dropped(&fates, 2, true);
    cr_assert(vv_make_room_to_drop(&fates) && vv_is_dropped(&fates, 2));
    vv_set_dropped(&fates, 2, false);
    cr_assert_not(vv_is_dropped(&fates, 2));
    vv_fates_end(&fates);
    fates = (struct vv_fates){ .of = NULL };
    vv_fates_end(&fates);
}

#ifndef NDEBUG
static void drop_twice(varve_restoration *r)
{
    (void)r;
    struct vv_fates fates;
    vv_fates_begin(&fates, test_allocator(), 1, 1);
    vv_change_fate(&fates, 0, VV_FATE_DROPPED);
    vv_change_fate(&fates, 0, VV_FATE_WAITING);
}

TEST(fates, that_may_not_follow_end_the_program)
{
    check_aborts(drop_twice, NULL);
}
#endif
