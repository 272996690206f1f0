/* test_unchanged_pages.c - Tests incremental saves with dirty-page tracking by
 * the machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unchanged_world.h"

#include <varve/job.h>
#include <varve/snapshot.h>

#include <unistd.h>

#include "system.h"

static float other_large[LARGE];

static const varve_write_options tracked = { .incremental = true,
    .increment.track = true };
static const varve_write_options proven = {
    .incremental = true, .increment = { .track = true, .verify_clean = true }
};

/* Files in memory, and real pages of this machine. */
static struct {
    struct vv_system system;
    int (*close)(void *state, int descriptor);
    int tracker;
    bool is_liar; /* never reports a write */
} machine;

static int open_tracker(void *state)
{
    machine.tracker = vv_posix_system.open_tracker(state);
    return machine.tracker;
}

static int close_tracker(void *state, int descriptor)
{
    if (descriptor != machine.tracker)
        return machine.close(state, descriptor);
    machine.tracker = -1;
    return vv_posix_system.close(NULL, descriptor);
}

static int each_written(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user)
{
    return machine.is_liar ? 0
                           : vv_posix_system.each_written(
                                 state, tracker, address, size, each, user);
}

static int arm(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user)
{
    return machine.is_liar ? 0
                           : vv_posix_system.arm(
                                 state, tracker, address, size, each, user);
}

static int track_nothing(void *state, int tracker, void *address, size_t size)
{
    (void)state;
    (void)tracker;
    (void)address;
    (void)size;
    return 0;
}

static int track_on_machine(
    void *state, int tracker, void *address, size_t size)
{
    return vv_posix_system.track(state, tracker, address, size);
}

static int untrack_on_machine(
    void *state, int tracker, void *address, size_t size)
{
    return machine.is_liar
               ? 0
               : vv_posix_system.untrack(state, tracker, address, size);
}

static int open_none(void *state)
{
    (void)state;
    machine.tracker = 1 << 20;
    return machine.tracker;
}

static int close_none(void *state, int descriptor)
{
    return descriptor == machine.tracker ? 0
                                         : machine.close(state, descriptor);
}

static varve_node *new_tracked_root(bool is_liar)
{
    begin_world();
    machine.system = *world.context.system;
    machine.close = machine.system.close;
    machine.is_liar = is_liar;
    machine.system.open_tracker = is_liar ? open_none : open_tracker;
    machine.system.close = is_liar ? close_none : close_tracker;
    machine.system.track = is_liar ? track_nothing : track_on_machine;
    machine.system.untrack = untrack_on_machine;
    machine.system.each_written = each_written;
    machine.system.arm = arm;
    world.context.system = &machine.system;
    incremental.root = new_root();
    varve_add_variable(
        incremental.root, "large", varve_array(incremental.large, LARGE));
    varve_add_variable(
        incremental.root, "middle", varve_array(incremental.middle, MIDDLE));
    varve_add_variable(
        incremental.root, "spare", varve_array(other_large, LARGE));
    good(incremental.root);
    return incremental.root;
}

static void end_tracked(void)
{
    free_root(incremental.root);
    end_world();
}

/* Returns an element in a page that the value shares with others. If the value
 * starts at a page boundary, it does not end at one. */
static float *shared_page(void)
{
    uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
    return (uintptr_t)incremental.large % size ? incremental.large
                                           : &incremental.large[LARGE - 1];
}

TEST(unchanged_pages, unwritten_pages_are_not_read)
{
    new_tracked_root(true);
    save_to("run/m", &tracked);
    incremental.large[LARGE / 2] = -1; /* the machine does not report it */
    save_to("run/m", &tracked);
    cr_assert(have_same_values("run/m-1.varve", "run/m-2.varve"));
    varve_mark_dirty(named("large"));
    save_to("run/m", &tracked);
    check_incremental("run/m-3.varve");
    *shared_page() = -1;
    incremental.middle[1] = -1; /* too small */
    save_to("run/m", &tracked);
    check_incremental("run/m-4.varve");
    end_tracked();
}

/* Adds a value that starts and ends inside pages, for whose first and last page
 * the machine reports nothing. */
static float *add_apart(void)
{
    static _Alignas(VV_PAGE_SIZE) float room[LARGE + VV_PAGE_SIZE];
    float *apart = room + 3;
    memset(room, 0, sizeof room);
    varve_add_variable(incremental.root, "apart", varve_array(apart, LARGE));
    good(incremental.root);
    return apart;
}

TEST(unchanged_pages, are_not_read_next_to_pages_shared_with_others)
{
    new_tracked_root(true);
    float *apart = add_apart();
    save_to("run/m", &tracked);
    apart[5000] = apart[LARGE - 5000] = -1; /* the machine does not report it */
    save_to("run/m", &tracked);
    cr_assert(have_same_values("run/m-1.varve", "run/m-2.varve"));
    apart[5000] = apart[LARGE - 5000] = 0;
    apart[0] = -2;
    save_to("run/m", &tracked);
    check_incremental("run/m-3.varve");
    apart[LARGE - 1] = -2;
    save_to("run/m", &tracked);
    check_incremental("run/m-4.varve");
    end_tracked();
}

/* The first save records the ends, the second does not examine the value. */
TEST(unchanged_pages, partial_pages_are_known_after_a_save_that_read_them)
{
    new_tracked_root(true);
    float *apart = add_apart();
    save_to("run/m", &tracked);
    apart[0] = -1;
    varve_mark_dirty(named("apart"));
    save_touched();
    check_incremental("run/m-2.varve");
    apart[0] = 0;
    save_to("run/m", &tracked);
    check_incremental("run/m-3.varve");
    end_tracked();
}

TEST(unchanged_pages, is_empty_without_system_support)
{
    begin_incremental();
    for (int i = 1; i < 4; i++) {
        char path[32];
        incremental.large[LARGE / 2] = (float)i;
        save_to("run/m", &tracked);
        snprintf(path, sizeof path, "run/m-%d.varve", i);
        check_incremental(path);
    }
    end_incremental();
}

static unsigned next_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static int refuse_progress(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)user;
    (void)done;
    (void)total;
    (void)what;
    return 1;
}

/* Performs a random operation: writes, moves, snapshots, other prefixes, jobs,
 * failing saves. Each save computes all digests and reports if the machine
 * missed a change. */
static void do_something(unsigned *seed, varve_snapshot *s, bool is_swapped)
{
    varve_error error = { 0 };
    varve_write_options cancelled = tracked;
    cancelled.progress = refuse_progress;
    unsigned count = next_number(seed) % 5;
    for (unsigned i = 0; i < count; i++)
        incremental.large[next_number(seed) % LARGE] += 1;
    other_large[next_number(seed) % LARGE] += 1;
    switch (next_number(seed) % 6) {
    case 0:
        varve_rebind(named("large"),
            varve_array(is_swapped ? other_large : incremental.large, LARGE));
        varve_rebind(named("spare"),
            varve_array(is_swapped ? incremental.large : other_large, LARGE));
        break;
    case 1:
        cr_assert_ok(varve_snapshot_retake(s, &error), error);
        break;
    case 2:
        cr_assert_ok(varve_snapshot_restore(s, &error), error);
        break;
    case 3:
        cr_assert_eq(varve_save(incremental.root, "run/m", &cancelled, &error),
            VARVE_CANCELLED);
        break;
    default:
        break;
    }
}

TEST(unchanged_pages, agrees_with_digests_after_random_operations)
{
    const varve_snapshot_options follow = { .track = true };
    static const char *const prefixes[] = { "run/m", "run/m", "run/n" };
    varve_error error = { 0 };
    unsigned seed = 7;
    new_tracked_root(false);
    varve_snapshot *s =
        varve_snapshot_new_with(incremental.root, &follow, &error);
    cr_assert(s, "%s", error.message);
    for (int i = 0; i < 60; i++) {
        const char *prefix = prefixes[next_number(&seed) % 3];
        do_something(&seed, s, i % 2);
        varve_job *job =
            varve_save_async(incremental.root, prefix, &proven, &error);
        cr_assert(job, "%s", error.message);
        incremental.large[next_number(&seed) % LARGE] += 1;
        cr_assert_ok(varve_job_wait(job, &error), error);
        varve_job_free(job);
    }
    char path[64];
    save_to("run/m", &proven);
    snprintf(path, sizeof path, "run/m-%d.varve",
        (int)varve_save_counter(incremental.root));
    check_incremental(path);
    varve_snapshot_free(s);
    end_tracked();
}

/* Data written before the oldest recorded check. */
TEST(unchanged_pages, is_empty_before_the_first_recorded_check)
{
    varve_error error = { 0 };
    varve_write_options cancelled = tracked;
    cancelled.progress = refuse_progress;
    new_tracked_root(false);
    save_touched();
    incremental.large[LARGE / 2] = -1;
    save_to("run/m", &tracked);
    check_incremental("run/m-2.varve");
    incremental.large[LARGE / 2] = -2;
    for (int i = 0; i < 10; i++)
        cr_assert_eq(varve_save(incremental.root, "run/m", &cancelled, &error),
            VARVE_CANCELLED);
    save_to("run/m", &tracked);
    check_incremental("run/m-3.varve");
    end_tracked();
}

TEST(unchanged_pages, is_empty_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    new_tracked_root(false);
    save_to("run/m", &tracked);
    for (long n = 0; status || n < 40; n++) {
        varve_error error = { 0 };
        incremental.large[LARGE / 3 + n] = -1;
        test_fail_allocation(n, false);
        status = varve_save(incremental.root, "run/m", &proven, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
    }
    end_tracked();
}

/* Both jobs are pending before the first is written. */
TEST(unchanged_pages, includes_pages_of_pending_jobs)
{
    enum { JOBS = 12 };
    varve_error error = { 0 };
    varve_write_options many = proven;
    varve_job *jobs[JOBS];
    uint8_t expected[JOBS][16], found[16];
    char path[32];
    many.async.in_flight = JOBS;
    new_tracked_root(false);
    for (int i = 0; i < JOBS; i++) {
        incremental.large[100000 + i * 3000] = -1;
        digest_now(expected[i]);
        jobs[i] = varve_save_async(incremental.root, "run/m", &many, &error);
        cr_assert(jobs[i], "%s", error.message);
    }
    for (int i = 0; i < JOBS; i++) {
        cr_assert_ok(varve_job_wait(jobs[i], &error), error);
        varve_job_free(jobs[i]);
        snprintf(path, sizeof path, "run/m-%d.varve", i + 1);
        digest_of(path, found);
        cr_assert_eq(memcmp(expected[i], found, 16), 0, "%s", path);
    }
    end_tracked();
}
