/* test_event_queue.c - Tests the queue of events.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "event_message.h"
#include "event_queue.h"
#include "support/event_reader.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"

/* A disk that blocks until the gate is opened. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_int writes;
static const struct vv_system *under;

static int64_t write_behind_gate(
    void *state, int file, const void *bytes, size_t size, uint64_t offset)
{
    writes++;
    pthread_mutex_lock(&gate);
    int64_t moved = under->write_at(state, file, bytes, size, offset);
    pthread_mutex_unlock(&gate);
    return moved;
}

static int no_thread(
    void *state, void *(*function)(void *), void *argument, uintptr_t *handle)
{
    (void)state, (void)function, (void)argument, (void)handle;
    return -EAGAIN;
}

#define LONG 1000000 /* milliseconds */

static struct memory *memory;
static struct vv_system on;
static struct vv_context context;
static struct vv_event_queue queue;

static void start(size_t limit, int64_t milliseconds)
{
    varve_error error = { 0 };
    writes = 0;
    context = test_context(&on);
    queue = (struct vv_event_queue){ .limit = limit,
        .interval = milliseconds * 1000000 };
    int file = on.create_file(on.state, VV_WORKING_DIRECTORY, "events");
    cr_assert_geq(file, 0);
    cr_assert_ok(
        vv_event_queue_start(&queue, &context, file, "events", &error), error);
}

static void set_up(void)
{
    memory = memory_new();
    under = memory_system(memory);
    on = *under;
    on.write_at = write_behind_gate;
}

static void tear_down(void)
{
    vv_event_queue_end(&queue);
    on.close(on.state, queue.file);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

static bool put(int64_t step)
{
    vv_event_queue_enter(&queue);
    struct vv_buffer *b = vv_event_queue_begin(&queue);
    vv_event_header(b, 0, step);
    vv_event_scalar(b, "x", (double)step);
    bool is_taken = vv_event_queue_commit(&queue);
    vv_event_queue_leave(&queue);
    return is_taken;
}

static varve_status flush(varve_error *error)
{
    vv_event_queue_enter(&queue);
    varve_status status = vv_event_queue_flush(&queue, error);
    vv_event_queue_leave(&queue);
    return status;
}

/* Asserts that the file contains exactly these steps in order. */
static void check_steps(int64_t first, size_t count)
{
    size_t size;
    unsigned char *bytes = memory_bytes(memory, "events", &size);
    struct event_list list = event_read(bytes, size);
    cr_assert_null(list.fault, "%s", list.fault);
    cr_assert_not(list.is_cut);
    cr_assert_eq(list.count, count, "%zu, not %zu", list.count, count);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(list.events[i].step, first + (int64_t)i);
    event_list_free(&list);
}

TEST(event_queue, is_empty_after_a_flush)
{
    varve_error error = { 0 };
    set_up();
    start(1 << 20, LONG);
    for (int64_t i = 0; i < 1000; i++) {
        cr_assert(put(i));
        if (i % 100 == 0) {
            cr_assert_ok(flush(&error), error);
            check_steps(0, (size_t)i + 1);
        }
    }
    vv_event_queue_end(&queue);
    check_steps(0, 1000);
    tear_down();
}

TEST(event_queue, does_not_wait_for_the_disk)
{
    varve_error error = { 0 };
    set_up();
    start(1 << 20, LONG);
    put(0);
    cr_assert_ok(flush(&error), error);
    pthread_mutex_lock(&gate);
    for (int64_t i = 1; i < 20000; i++) /* more than half of the limit */
        put(i);
    while (writes < 2) /* the thread is blocked in a write */
        ;
    for (int64_t i = 20000; i < 21000; i++)
        put(i);
    cr_assert_eq(queue.dropped, 0);
    pthread_mutex_unlock(&gate);
    cr_assert_ok(flush(&error), error);
    check_steps(0, 21000);
    tear_down();
}

TEST(event_queue, drops_and_counts_events_when_full)
{
    varve_error error = { 0 };
    set_up();
    start(1000, LONG);
    pthread_mutex_lock(&gate);
    size_t taken = 0;
    while (taken < 15) /* more than half of the limit */
        cr_assert(put((int64_t)taken++));
    while (writes == 0) /* the thread is blocked in a write */
        ;
    while (taken < 1000 && put((int64_t)taken))
        taken++;
    for (int i = 0; i < 9; i++)
        cr_assert_not(put(-1));
    /* One buffer is waiting, and one is being written. */
    cr_assert_leq(queue.waiting.size, LONG);
    cr_assert_geq(taken, 30);
    cr_assert_leq(taken, 50);
    pthread_mutex_unlock(&gate);
    cr_assert_eq(flush(&error), VARVE_LIMIT);
    cr_assert_str_eq(error.message,
        "events: event queue full (1000 bytes): 10 events were dropped");
    cr_assert_ok(flush(&error), error);
    check_steps(0, taken);
    cr_assert_eq(queue.dropped, 10);
    tear_down();
}

TEST(event_queue, accepts_one_event_of_any_size)
{
    varve_error error = { 0 };
    set_up();
    on.start_thread = no_thread;
    start(1, LONG);
    for (int64_t i = 0; i < 5; i++)
        cr_assert(put(i));
    cr_assert_ok(flush(&error), error);
    check_steps(0, 5);
    tear_down();
}

TEST(event_queue, writes_after_its_interval)
{
    varve_error error = { 0 };
    set_up();
    start(1 << 20, 1);
    put(0);
    cr_assert_ok(flush(&error), error);
    put(1);
    struct timespec pause = { .tv_nsec = 1000000 };
    for (int i = 0; i < 10000 && writes < 2; i++)
        nanosleep(&pause, NULL);
    cr_assert_eq(writes, 2);
    tear_down();
}

TEST(event_queue, without_a_thread_writes_at_once)
{
    varve_error error = { 0 };
    set_up();
    on.start_thread = no_thread;
    start(1 << 20, LONG);
    for (int64_t i = 0; i < 10; i++) {
        cr_assert(put(i));
        check_steps(0, (size_t)i + 1);
    }
    cr_assert_ok(flush(&error), error);
    cr_assert_eq(writes, 10);
    tear_down();
}

/* A write that transfers a part and then fails. */
static int failures;

static int64_t write_a_part(
    void *state, int file, const void *bytes, size_t size, uint64_t offset)
{
    writes++;
    if (failures <= 0)
        return under->write_at(state, file, bytes, size, offset);
    if (writes % 2 == 0) {
        failures--;
        return -ENOSPC;
    }
    return under->write_at(state, file, bytes, size / 2, offset);
}

TEST(event_queue, continues_after_a_failed_write)
{
    varve_error error = { 0 };
    for (int i = 0; i < 2; i++) {
        set_up();
        on.write_at = write_a_part;
        if (i)
            on.start_thread = no_thread;
        failures = 0;
        start(1 << 20, LONG);
        put(0);
        cr_assert_ok(flush(&error), error);
        writes = 0;
        failures = 1000;
        put(1);
        put(2);
        cr_assert_eq(flush(&error), VARVE_NO_SPACE);
        put(3);
        cr_assert_eq(flush(&error), VARVE_NO_SPACE);
        cr_assert_neq(strstr(error.message, "events: write failed"), NULL);
        failures = 0;
        cr_assert_ok(flush(&error), error);
        check_steps(0, 4);
        cr_assert_eq(queue.dropped, 0);
        tear_down();
    }
}

TEST(event_queue, without_a_thread_retries_with_the_next_event)
{
    set_up();
    on.start_thread = no_thread;
    start(1, LONG);
    memory_set_capacity(memory, 0);
    cr_assert(put(0));
    cr_assert(put(1));
    cr_assert_not(put(-1));
    memory_set_capacity(memory, UINT64_MAX);
    cr_assert(put(2));
    check_steps(0, 3);
    memory_set_capacity(memory, 0);
    cr_assert(put(3));
    memory_set_capacity(memory, UINT64_MAX);
    vv_event_queue_end(&queue);
    check_steps(0, 4);
    tear_down();
}

TEST(event_queue, returns_the_first_failure_from_one_flush)
{
    varve_error error = { 0 };
    set_up();
    start(1 << 20, LONG);
    vv_event_queue_enter(&queue);
    vv_event_queue_remember(
        &queue, &(varve_error){ VARVE_MISUSE, 0, "the first" });
    vv_event_queue_remember(&queue, &(varve_error){ VARVE_IO, 0, "another" });
    vv_event_queue_drop(&queue);
    vv_event_queue_leave(&queue);
    cr_assert_eq(flush(&error), VARVE_MISUSE);
    cr_assert_str_eq(error.message, "the first\n1 event was dropped");
    cr_assert_ok(flush(&error), error);
    cr_assert_eq(queue.dropped, 1);
    tear_down();
}

TEST(event_queue, without_memory_drops_only_the_event)
{
    varve_error error = { 0 };
    set_up();
    on.start_thread = no_thread;
    start(1 << 20, LONG);
    for (int64_t n = 0; n < 3; n++) {
        vv_buffer_clear(&queue.waiting);
        test_fail_allocation(0, true);
        cr_assert_not(put(-1));
        test_fail_allocation(-1, false);
        cr_assert_eq(flush(&error), VARVE_NO_MEMORY);
        cr_assert(put(n));
        cr_assert_ok(flush(&error), error);
    }
    check_steps(0, 3);
    cr_assert_eq(queue.dropped, 3);
    tear_down();
}

enum { WRITERS = 4, EACH = 2000 };

static void *put_many(void *argument)
{
    for (int i = 0; i < EACH; i++) {
        put(*(int *)argument);
        if (i % 500 == 0)
            flush(NULL);
    }
    return NULL;
}

TEST(event_queue, accepts_events_of_several_threads)
{
    for (int round = 0; round < 2; round++) {
        varve_error error = { 0 };
        pthread_t threads[WRITERS];
        int step = 0;
        set_up();
        if (round)
            on.start_thread = no_thread;
        start(1 << 20, LONG);
        for (int i = 0; i < WRITERS; i++)
            pthread_create(&threads[i], NULL, put_many, &step);
        for (int i = 0; i < WRITERS; i++)
            pthread_join(threads[i], NULL);
        cr_assert_ok(flush(&error), error);
        size_t size;
        unsigned char *bytes = memory_bytes(memory, "events", &size);
        struct event_list list = event_read(bytes, size);
        cr_assert_null(list.fault);
        cr_assert_eq(list.count, WRITERS * EACH);
        event_list_free(&list);
        tear_down();
    }
}
