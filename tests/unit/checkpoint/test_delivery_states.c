/* test_delivery_states.c - Tests the states of values and their transitions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "delivery.h"

/* Creates two values, of which the second is not saved. */
static const unsigned char offsets[16] = { 64 };

static bool begin_states(
    struct vv_delivery_states *delivery_states, uint32_t values)
{
    static struct vv_index index;
    index = (struct vv_index){
        .value_count = values, .node_count = 3, .value_offsets = offsets
    };
    return vv_delivery_states_begin(delivery_states, test_allocator(), &index);
}

TEST(delivery_states, count_the_saved_values_that_are_pending)
{
    struct vv_delivery_states delivery_states;
    cr_assert(begin_states(&delivery_states, 2));
    cr_assert_eq(delivery_states.pending, 1);
    vv_change_delivery_state(&delivery_states, 1, VV_DELIVERY_STATE_EXCLUDED);
    vv_change_delivery_state(&delivery_states, 0, VV_DELIVERY_STATE_DUE);
    cr_assert_eq(delivery_states.pending, 1);
    vv_change_delivery_state(&delivery_states, 0, VV_DELIVERY_STATE_APPLIED);
    cr_assert_eq(delivery_states.pending, 0);
    vv_change_delivery_state(&delivery_states, 0, VV_DELIVERY_STATE_DUE);
    vv_change_delivery_state(&delivery_states, 1, VV_DELIVERY_STATE_WAITING);
    cr_assert_eq(delivery_states.pending, 1);
    vv_delivery_states_end(&delivery_states);
}

TEST(delivery_states, begin_as_pending_and_follow_the_table)
{
    struct vv_delivery_states delivery_states;
    cr_assert(begin_states(&delivery_states, 2));
    cr_assert_eq(delivery_states.of[0], VV_DELIVERY_STATE_WAITING);
    vv_change_delivery_state(&delivery_states, 0, VV_DELIVERY_STATE_DUE);
    cr_assert(!vv_is_final(&delivery_states, 0));
    vv_change_delivery_state(&delivery_states, 0, VV_DELIVERY_STATE_LENT);
    cr_assert(vv_is_final(&delivery_states, 0) &&
              vv_is_delivered(&delivery_states, 0));
    vv_change_delivery_state(&delivery_states, 1, VV_DELIVERY_STATE_EXCLUDED);
    cr_assert(vv_is_left_out(&delivery_states, 1) &&
              !vv_is_final(&delivery_states, 1));
    vv_change_delivery_state(&delivery_states, 1, VV_DELIVERY_STATE_DUE);
    vv_change_delivery_state(&delivery_states, 1, VV_DELIVERY_STATE_DAMAGED);
    cr_assert(vv_is_given_up(&delivery_states, 1) &&
              !vv_is_delivered(&delivery_states, 1));
    vv_delivery_states_end(&delivery_states);
}

TEST(delivery_states, allocate_memory_before_anything_is_dropped)
{
    struct vv_delivery_states delivery_states;
    cr_assert(begin_states(&delivery_states, 0), "no values");
    cr_assert_not(vv_is_dropped(&delivery_states, 2));
    test_fail_allocation(0, true);
    cr_assert_not(vv_reserve_dropped(&delivery_states));
    test_fail_allocation(-1, false);
    cr_assert(vv_reserve_dropped(&delivery_states));
    vv_set_dropped(&delivery_states, 2, true);
    cr_assert(vv_reserve_dropped(&delivery_states) &&
              vv_is_dropped(&delivery_states, 2));
    vv_set_dropped(&delivery_states, 2, false);
    cr_assert_not(vv_is_dropped(&delivery_states, 2));
    vv_delivery_states_end(&delivery_states);
    delivery_states = (struct vv_delivery_states){ .of = NULL };
    vv_delivery_states_end(&delivery_states);
}

#ifndef NDEBUG
static void drop_twice(varve_restoration *r)
{
    (void)r;
    struct vv_delivery_states delivery_states;
    begin_states(&delivery_states, 1);
    vv_change_delivery_state(&delivery_states, 0, VV_DELIVERY_STATE_DROPPED);
    vv_change_delivery_state(&delivery_states, 0, VV_DELIVERY_STATE_WAITING);
}

TEST(delivery_states, invalid_transitions_abort_the_program)
{
    check_aborts(drop_twice, NULL);
}
#endif
