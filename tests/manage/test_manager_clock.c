/* test_manager_clock.c - Tests retention by recorded times, and intervals by a
 * monotonic clock while the time of day jumps.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manage/run.h"
#include "system.h"

static struct memory *disk;

static const varve_manager_options hourly = {
    .keep_last = 2, .keep_every_seconds = 9000 /* 2.5 hours */
};

static void set_clock(int64_t seconds)
{
    memory_set_now(disk, seconds * 1000000000);
}

static void begin(struct run *run, int64_t seconds,
    const varve_manager_options *options)
{
    set_clock(seconds);
    run_begin(run, memory_system(disk), options);
}

static void save_at(struct run *run, int64_t seconds, int64_t step)
{
    set_clock(seconds);
    run_must_save(run, step);
}

static void sleep_for(int64_t seconds)
{
    const struct vv_system *system = memory_system(disk);
    system->sleep(system->state, seconds * 1000000000);
}

TEST(manager_clock, m16_m18_m19_times_are_kept_across_managers)
{
    struct run run;
    disk = memory_new();
    begin(&run, 10000, &hourly);
    save_at(&run, 10000, 1);
    save_at(&run, 13610, 2);
    varve_checkpoint_info at;
    cr_assert(varve_manager_at(run.manager, 0, &at) && at.time == 10000);
    cr_assert(varve_manager_at(run.manager, 1, &at) && at.time == 13610);
    save_at(&run, 17220, 3);
    cr_assert_str_eq(run_numbers(&run), "1 2 3");
    run_end(&run);
    begin(&run, 17230, &hourly);
    run_must_resume(&run);
    save_at(&run, 19020, 4);
    save_at(&run, 20820, 5);
    cr_assert_str_eq(run_numbers(&run), "1 4 5");
    run_end(&run);
    begin(&run, 20825, &hourly);
    run_must_resume(&run);
    save_at(&run, 20830, 6);
    cr_assert_str_eq(run_numbers(&run), "1 4 5 6");
    save_at(&run, 20840, 7);
    cr_assert_str_eq(run_numbers(&run), "1 4 6 7");
    run_end(&run);
    memory_free(disk);
}

TEST(manager_clock, m22_m23_a_clock_set_back_deletes_no_kept_checkpoint)
{
    struct run run;
    disk = memory_new();
    begin(&run, 10000, &hourly);
    save_at(&run, 10000, 1);
    save_at(&run, 20000, 2);
    save_at(&run, 30000, 3);
    run_end(&run);
    begin(&run, 5000, &hourly);
    run_must_resume(&run);
    cr_assert_eq(run.v, 3);
    save_at(&run, 5010, 4);
    save_at(&run, 5020, 5);
    save_at(&run, 5030, 6);
    cr_assert_str_eq(run_numbers(&run), "1 2 3 4 5 6");
    run_end(&run);
    memory_free(disk);
}

TEST(manager_clock, a_change_of_the_time_of_day_does_not_affect_intervals)
{
    struct run run;
    varve_error error = { 0 };
    varve_manager_options options = { .interval_seconds = 60 };
    disk = memory_new();
    begin(&run, 10000, &options);
    save_at(&run, 10000, 1);
    set_clock(1000000);
    cr_assert_ok(run_save(&run, 2, &error), error);
    cr_assert_null(varve_manager_saved(run.manager));
    set_clock(0);
    sleep_for(59);
    cr_assert_not(varve_manager_is_due(run.manager, 3));
    sleep_for(1);
    set_clock(-500);
    cr_assert(varve_manager_is_due(run.manager, 3));
    run_must_save(&run, 3);
    cr_assert_str_eq(run_numbers(&run), "1 2");
    run_end(&run);
    memory_free(disk);
}
