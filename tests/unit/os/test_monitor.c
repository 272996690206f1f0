/* test_monitor.c - Tests the monitor.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <pthread.h>
#include <time.h>

#include "monitor.h"

enum { THREADS = 4, TURNS = 20000 };

static struct vv_monitor *monitor;
static long count;
static int turn;

static void *count_up(void *argument)
{
    (void)argument;
    for (int i = 0; i < TURNS; i++) {
        vv_monitor_enter(monitor);
        count = count + 1;
        vv_monitor_leave(monitor);
    }
    return NULL;
}

TEST(monitor, admits_one_thread_at_a_time)
{
    pthread_t threads[THREADS];
    monitor = vv_monitor_new(test_allocator());
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count_up, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(count, THREADS * TURNS);
    vv_monitor_free(test_allocator(), monitor);
}

static void *take_turns(void *argument)
{
    int own = *(int *)argument;
    vv_monitor_enter(monitor);
    for (int i = 0; i < 100; i++) {
        while (turn != own)
            vv_monitor_wait(monitor, -1);
        turn = (turn + 1) % THREADS;
        count++;
        vv_monitor_wake(monitor);
    }
    vv_monitor_leave(monitor);
    return NULL;
}

TEST(monitor, wakes_all_waiting_threads)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    monitor = vv_monitor_new(test_allocator());
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, take_turns, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(count, THREADS * 100);
    vv_monitor_free(test_allocator(), monitor);
}

static int64_t uptime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

TEST(monitor, waits_for_the_given_time)
{
    static const int64_t times[] = { 0, 1, 20000000, 1050000000 };
    monitor = vv_monitor_new(test_allocator());
    vv_monitor_enter(monitor);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        int64_t begin = uptime();
        while (vv_monitor_wait(monitor, times[i]))
            ;
        cr_assert_geq(uptime() - begin, times[i]);
        cr_assert_lt(uptime() - begin, times[i] + INT64_C(30000000000));
    }
    vv_monitor_leave(monitor);
    vv_monitor_free(test_allocator(), monitor);
}

TEST(monitor, is_not_created_without_memory)
{
    test_fail_allocation(0, false);
    cr_assert_null(vv_monitor_new(test_allocator()));
    vv_monitor_free(test_allocator(), NULL);
}
