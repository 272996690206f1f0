/* test_events_faults.c - Tests events while system calls and allocations fail.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "recorded.h"
#include "support/faulty_system.h"

enum { STEPS = 6 };

/* Runs a loop that ignores errors, with a flush at each step. Returns the
 * number of failed flushes. */
static int run(varve_events *e)
{
    static const float numbers[] = { 1, -2, NAN };
    static const uint8_t pixels[12] = { 9 };
    int failed = 0;
    for (int64_t step = 1; step <= STEPS; step++) {
        varve_error error = { 0 };
        varve_events_scalar(e, step, "loss", 1);
        varve_events_histogram(e, step, "w", numbers, 3);
        varve_events_image(
            e, step, "i", &(varve_events_picture){ 2, 2, 3, pixels });
        varve_events_text(e, step, "t", "text");
        if (varve_events_flush(e, &error)) {
            cr_assert(*error.message);
            failed++;
        }
    }
    return failed;
}

static void check_all_there(struct memory *memory, const char *path)
{
    struct event_list list = recorded(memory, path);
    cr_assert_eq(list.count, 1 + 4 * STEPS);
    for (size_t i = 1; i < list.count; i++)
        cr_assert_eq(list.events[i].step, (int64_t)(1 + (i - 1) / 4));
    event_list_free(&list);
}

static void check_nothing_broken(struct memory *memory, const char *path)
{
    size_t size;
    unsigned char *bytes = memory_bytes(memory, path, &size);
    struct event_list list = event_read(bytes, size);
    cr_assert_null(list.fault, "%s", list.fault);
    event_list_free(&list);
}

/* Runs with a plan; returns false once the planned failure did not occur. */
static bool run_with(const struct faulty_plan *plan)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error = { 0 };
    char path[256];
    faulty_plan(faulty, plan);
    varve_events *e = vv_events_open_in(&context, "run", NULL, &error);
    bool is_open_hit = faulty_hit(faulty);
    cr_assert(e || is_open_hit);
    cr_assert(e || error.status == VARVE_NO_SPACE, "%s", error.message);
    cr_assert(e || memory_file_count(memory) == 0);
    if (e) {
        int failed = run(e);
        strcpy(path, varve_events_path(e));
        cr_assert(plan->sticky || failed <= 1);
        cr_assert_eq(varve_events_dropped(e), 0);
        varve_events_free(e);
        check_nothing_broken(memory, path);
        if (!plan->sticky)
            check_all_there(memory, path);
    }
    bool is_hit = faulty_hit(faulty);
    cr_assert_eq(faulty_open_count(faulty), 0);
    cr_assert_eq(memory_open_count(memory), 0);
    faulty_free(faulty);
    memory_free(memory);
    return is_hit;
}

TEST(events_faults, no_failed_call_stops_the_loop)
{
    for (int sticky = 0; sticky < 2; sticky++) {
        long n = 0;
        while (run_with(&(struct faulty_plan){
            .number = n, .sticky = sticky, .error = ENOSPC }))
            n++;
        cr_assert_gt(n, 8);
    }
}

TEST(events_faults, short_writes_are_completed)
{
    static const enum faulty_way ways[] = { FAULTY_ONE_BYTE, FAULTY_BUT_ONE,
        FAULTY_HALF };
    for (int w = 0; w < 3; w++) {
        long n = 0;
        while (run_with(&(struct faulty_plan){
            .number = n, .kinds = FAULTY_WRITE, .way = ways[w] }))
            n++;
        cr_assert_geq(n, STEPS);
    }
}

/* A write that transfers a part and then fails, and one that fails from then
 * on. */
TEST(events_faults, a_partly_written_tail_is_rewritten)
{
    for (int sticky = 0; sticky < 2; sticky++) {
        for (long n = 0;; n++) {
            struct faulty_plan plan = { .number = n,
                .kinds = FAULTY_WRITE,
                .way = FAULTY_HALF,
                .second = n + 1,
                .second_error = EIO,
                .second_sticky = sticky };
            plan.sticky = false;
            struct memory *memory = memory_new();
            struct faulty *faulty = faulty_new(memory_system(memory));
            struct vv_context context = test_context(faulty_system(faulty));
            faulty_plan(faulty, &plan);
            varve_events *e = vv_events_open_in(&context, "run", NULL, NULL);
            cr_assert(e);
            int failed = run(e);
            bool is_hit = faulty_hit_second(faulty);
            cr_assert(sticky ? failed >= is_hit : failed == is_hit);
            faulty_plan(faulty, NULL); /* the disk works again */
            varve_error error = { 0 };
            cr_assert_ok(varve_events_flush(e, &error), error);
            check_all_there(memory, varve_events_path(e));
            varve_events_free(e);
            faulty_free(faulty);
            memory_free(memory);
            if (!is_hit)
                break;
        }
    }
}

TEST(events_faults, a_full_disk_is_reported_and_handled)
{
    struct memory *memory = memory_new();
    varve_events *e = open_in_memory(memory, NULL);
    varve_error error = { 0 };
    flush(e);
    memory_set_capacity(memory, 100);
    varve_events_text(e, 1, "t",
        "a text that does not fit any more, as it is "
        "longer than what is left of the hundred bytes");
    cr_assert_eq(varve_events_flush(e, &error), VARVE_NO_SPACE);
    cr_assert(strstr(error.message, varve_events_path(e)));
    check_nothing_broken(memory, varve_events_path(e));
    memory_set_capacity(memory, UINT64_MAX);
    flush(e);
    struct event_list list = recorded(memory, varve_events_path(e));
    cr_assert_eq(list.count, 2);
    event_list_free(&list);
    varve_events_free(e);
    memory_free(memory);
}

static void run_without_memory(long n, bool sticky)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error = { 0 };
    test_fail_allocation(n, sticky);
    varve_events *e = vv_events_open_in(&context, "run", NULL, &error);
    if (!e) {
        cr_assert_eq(error.status, VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(memory_file_count(memory), 0);
    } else {
        int failed = run(e);
        bool is_hit = test_allocation_count() > n;
        cr_assert_eq(failed > 0, is_hit);
        cr_assert_eq(varve_events_dropped(e) > 0, is_hit);
        test_fail_allocation(-1, false);
        varve_events_scalar(e, 1, "x", 1);
        flush(e);
        struct event_list list = recorded(memory, varve_events_path(e));
        cr_assert_eq(list.count, 2 + 4 * STEPS - varve_events_dropped(e));
        event_list_free(&list);
    }
    test_fail_allocation(-1, false);
    varve_events_free(e);
    memory_free(memory);
}

TEST(events_faults, no_failed_allocation_stops_the_loop)
{
    for (int sticky = 0; sticky < 2; sticky++) {
        for (long n = 0; n < 60; n++)
            run_without_memory(n, sticky);
    }
}
