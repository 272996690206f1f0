/* test_worker_thread.c - lib/os/worker.c
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "monitor.h"
#include "support/faulty_system.h"
#include "support/test_context.h"
#include "system.h"
#include "worker.h"

enum { MOST = 200 };

#define MILLISECOND INT64_C(1000000)
#define LONG (10000 * MILLISECOND) /* longer than anything here takes */

/* An object with a queue of numbers. The monitor of the worker guards all
 * members below it. */
static struct {
    struct faulty *faulty;
    struct vv_system system;
    struct vv_context context;
    bool cancels; /* drops the queue when it is to end */
    struct vv_worker_thread worker;
    int queue[MOST];
    int put, taken;
    int done[MOST];
    int done_count;
    int calls, due_calls;
    bool was_started, ran_here;
    bool is_working;
    int overlaps;
    int64_t pause; /* time that each number takes */
    pthread_t owner;
} object;

static void pause_for(int64_t nanoseconds)
{
    struct timespec time = { nanoseconds / 1000000000,
        nanoseconds % 1000000000 };
    nanosleep(&time, NULL);
}

static void work_outside(void)
{
    object.overlaps += object.is_working;
    object.is_working = true;
    vv_monitor_leave(object.worker.monitor);
    pause_for(object.pause);
    vv_monitor_enter(object.worker.monitor);
    object.is_working = false;
}

static bool work(void *user)
{
    cr_assert_eq(user, &object);
    object.calls++;
    object.due_calls += object.worker.is_due;
    if (object.calls == 1)
        object.was_started = object.worker.is_started;
    object.ran_here |= pthread_equal(pthread_self(), object.owner) != 0;
    if ((object.worker.ends && object.cancels) || object.taken == object.put)
        return false;
    int number = object.queue[object.taken++];
    work_outside();
    object.done[object.done_count++] = number;
    vv_monitor_wake(object.worker.monitor);
    return true;
}

static void begin(void)
{
    object.faulty = faulty_new(&vv_posix_system);
    object.system = *faulty_system(object.faulty);
    object.context = test_context(&object.system);
    object.owner = pthread_self();
    cr_assert(
        vv_worker_thread_init(&object.worker, &object.context, work, &object));
}

static void start(void)
{
    cr_assert_eq(vv_worker_thread_start(&object.worker), 0);
}

static void end(void)
{
    cr_assert(vv_worker_thread_end(&object.worker));
    cr_assert_eq(faulty_open_count(object.faulty), 0, "not joined");
    faulty_free(object.faulty);
}

static void put(int number)
{
    vv_monitor_enter(object.worker.monitor);
    object.queue[object.put++] = number;
    vv_monitor_wake(object.worker.monitor);
    vv_monitor_leave(object.worker.monitor);
}

/* Waits in the same monitor, so that a thread that has stopped is a failure. */
static void wait_for(int count)
{
    vv_monitor_enter(object.worker.monitor);
    bool is_woken = true;
    while (object.done_count < count && is_woken)
        is_woken = vv_monitor_wait(object.worker.monitor, LONG);
    cr_assert_geq(object.done_count, count);
    vv_monitor_leave(object.worker.monitor);
}

static int count(const int *of)
{
    vv_monitor_enter(object.worker.monitor);
    int calls = *of;
    vv_monitor_leave(object.worker.monitor);
    return calls;
}

static void check_order(int count)
{
    cr_assert_eq(object.done_count, count);
    for (int i = 0; i < count; i++)
        cr_assert_eq(object.done[i], i);
    cr_assert_eq(object.overlaps, 0);
}

/* --- Working ------------------------------------------------------------ */

TEST(worker_thread, does_queued_work_in_order)
{
    begin();
    start();
    object.pause = MILLISECOND / 10;
    for (int i = 0; i < MOST; i++)
        put(i);
    wait_for(MOST);
    check_order(MOST);
    cr_assert_not(object.ran_here);
    end();
}

TEST(worker_thread, continues_without_a_wakeup_while_there_is_work)
{
    begin();
    for (int i = 0; i < 50; i++)
        put(i); /* before the thread can be woken */
    start();
    wait_for(50);
    check_order(50);
    end();
}

TEST(worker_thread, waits_until_it_is_woken)
{
    begin();
    start();
    for (int i = 0; i < 3; i++) {
        pause_for(20 * MILLISECOND);
        cr_assert_leq(count(&object.calls), 5 + 2 * i, "it does not wait");
        put(i);
        wait_for(i + 1);
    }
    check_order(3);
    end();
}

/* Returns after the thread has called `work`. */
static int start_slowly(
    void *state, void *(*function)(void *), void *argument, uintptr_t *handle)
{
    const struct vv_system *under = faulty_system(object.faulty);
    int result = under->start_thread(state, function, argument, handle);
    wait_for(1);
    return result;
}

TEST(worker_thread, is_marked_as_started_for_the_first_work)
{
    begin();
    cr_assert_not(object.worker.is_started);
    object.system.start_thread = start_slowly;
    put(0);
    start();
    cr_assert(object.was_started);
    end();
}

TEST(worker_thread, starts_inside_the_monitor_and_only_once)
{
    begin();
    vv_monitor_enter(object.worker.monitor);
    start();
    start();
    cr_assert_eq(faulty_open_count(object.faulty), 1);
    vv_monitor_leave(object.worker.monitor);
    start();
    cr_assert_eq(faulty_open_count(object.faulty), 1);
    end();
}

/* --- The interval ------------------------------------------------------- */

TEST(worker_thread, is_due_after_each_interval_without_a_wakeup)
{
    begin();
    object.worker.interval = 5 * MILLISECOND;
    start();
    for (int i = 0; i < 2000 && count(&object.due_calls) < 3; i++)
        pause_for(5 * MILLISECOND);
    cr_assert_geq(count(&object.due_calls), 3);
    end();
}

TEST(worker_thread, is_not_due_at_first_nor_when_it_is_woken)
{
    for (int64_t interval = -1; interval < 2 * LONG; interval += LONG + 1) {
        begin();
        object.done_count = object.put = object.taken = 0;
        cr_assert_eq(object.worker.interval, -1);
        object.worker.interval = interval;
        start();
        for (int i = 0; i < 20; i++)
            put(i);
        wait_for(20);
        end();
        cr_assert_eq(object.due_calls, 0);
    }
}

/* --- The end ------------------------------------------------------------ */

TEST(worker_thread, does_all_work_before_it_ends)
{
    begin();
    start();
    object.pause = MILLISECOND;
    for (int i = 0; i < 50; i++)
        put(i);
    end();
    check_order(50);
}

TEST(worker_thread, ends_after_the_current_work_on_request)
{
    begin();
    object.cancels = true;
    object.pause = 2 * MILLISECOND;
    for (int i = 0; i < MOST; i++)
        put(i);
    start();
    wait_for(1);
    end();
    cr_assert_lt(object.done_count, MOST);
    cr_assert_eq(object.done_count, object.taken);
    check_order(object.done_count);
}

TEST(worker_thread, ends_while_it_waits)
{
    begin();
    start();
    pause_for(5 * MILLISECOND);
    end();
    cr_assert_eq(object.done_count, 0);
}

TEST(worker_thread, can_end_without_a_start_and_is_zeroed)
{
    begin();
    put(0);
    end();
    cr_assert_eq(object.done_count, 0);
    cr_assert_null(object.worker.monitor);
    cr_assert(vv_worker_thread_end(&object.worker));
    begin();
    start();
    wait_for(1);
    end();
    cr_assert_not(object.worker.is_started);
    cr_assert(vv_worker_thread_end(&object.worker));
}

/* --- Failures ----------------------------------------------------------- */

TEST(worker_thread, reports_a_failed_start_and_can_be_started_later)
{
    begin();
    faulty_plan(object.faulty,
        &(struct faulty_plan){
            .number = 0, .error = EAGAIN, .kinds = FAULTY_START_THREAD });
    cr_assert_eq(vv_worker_thread_start(&object.worker), -EAGAIN);
    cr_assert_not(object.worker.is_started);
    put(0);
    cr_assert_eq(object.calls, 0);
    vv_monitor_enter(object.worker.monitor);
    cr_assert(work(&object)); /* as the owner may */
    vv_monitor_leave(object.worker.monitor);
    start();
    cr_assert(object.worker.is_started);
    put(1);
    wait_for(2);
    check_order(2);
    end();
}

TEST(worker_thread, that_never_started_can_end)
{
    begin();
    faulty_plan(object.faulty, &(struct faulty_plan){ .number = 0,
                                   .sticky = true,
                                   .error = EAGAIN,
                                   .kinds = FAULTY_START_THREAD });
    for (int i = 0; i < 3; i++)
        cr_assert_eq(vv_worker_thread_start(&object.worker), -EAGAIN);
    end();
}

TEST(worker_thread, without_memory_can_end)
{
    struct vv_context context = test_context(&vv_posix_system);
    test_fail_allocation(0, false);
    cr_assert_not(
        vv_worker_thread_init(&object.worker, &context, work, &object));
    cr_assert(vv_worker_thread_end(&object.worker));
}

/* --- Forks -------------------------------------------------------------- */

static int64_t process_now;

static int64_t process(void *state, char *machine, size_t size)
{
    (void)state, (void)machine, (void)size;
    return process_now;
}

/* In a child the thread does not exist, and it may have been in the monitor:
 * here the monitor is held, so that nothing may enter it. */
TEST(worker_thread, is_lost_in_a_forked_child_and_not_used_there)
{
    begin();
    cr_assert_not(vv_worker_thread_is_lost(&object.worker));
    start();
    vv_monitor_enter(object.worker.monitor);
    int64_t (*in_parent)(void *, char *, size_t) = object.system.process;
    process_now = in_parent(object.system.state, NULL, 0) + 1;
    object.system.process = process;
    cr_assert(vv_worker_thread_is_lost(&object.worker));
    cr_assert_not(vv_worker_thread_end(&object.worker));
    cr_assert(object.worker.monitor && object.worker.is_started);
    cr_assert_not(object.worker.ends);
    object.system.process = in_parent;
    vv_monitor_leave(object.worker.monitor);
    put(0);
    wait_for(1);
    end();
}
