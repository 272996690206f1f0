/* test_retention_interval.c - Tests save intervals by steps and time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "retention.h"
#include "support/memory_system.h"

static void pass(const struct vv_system *system, int64_t seconds)
{
    system->sleep(system->state, seconds * VV_SECOND);
}

TEST(interval, is_always_over_without_a_setting)
{
    struct memory *memory = memory_new();
    const struct vv_system *system = memory_system(memory);
    struct vv_interval i = { 0 };
    cr_assert(vv_interval_is_over(&i, 0, system));
    vv_interval_begin(&i, 5, system);
    cr_assert(vv_interval_is_over(&i, 5, system));
    memory_free(memory);
}

TEST(interval, of_steps_is_over_at_multiples_and_after_a_step_back)
{
    struct memory *memory = memory_new();
    const struct vv_system *system = memory_system(memory);
    struct vv_interval i = { .steps = 10 };
    cr_assert_not(vv_interval_is_over(&i, 9, system));
    cr_assert(vv_interval_is_over(&i, 10, system));
    vv_interval_begin(&i, 14, system);
    cr_assert_not(vv_interval_is_over(&i, 14, system));
    cr_assert_not(vv_interval_is_over(&i, 19, system));
    cr_assert(vv_interval_is_over(&i, 20, system));
    cr_assert(vv_interval_is_over(&i, 13, system));
    memory_free(memory);
}

TEST(interval, of_time_is_over_first_and_then_by_the_clock)
{
    struct memory *memory = memory_new();
    const struct vv_system *system = memory_system(memory);
    struct vv_interval i = { .seconds = 60 };
    cr_assert(vv_interval_is_over(&i, 0, system));
    vv_interval_begin(&i, 0, system);
    pass(system, 59);
    cr_assert_not(vv_interval_is_over(&i, 1, system));
    pass(system, 1);
    cr_assert(vv_interval_is_over(&i, 1, system));
    memory_free(memory);
}

TEST(interval, of_both_is_over_with_the_earlier_one)
{
    struct memory *memory = memory_new();
    const struct vv_system *system = memory_system(memory);
    struct vv_interval i = { .steps = 10, .seconds = 60 };
    cr_assert_not(vv_interval_is_over(&i, 1, system));
    cr_assert(vv_interval_is_over(&i, 10, system));
    pass(system, 60);
    cr_assert(vv_interval_is_over(&i, 1, system));
    memory_free(memory);
}
