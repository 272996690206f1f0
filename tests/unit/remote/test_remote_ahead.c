/* test_remote_ahead.c - Tests prefetching of file segments.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700
#include "remote_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "remote_pool.h"
#include "remote_url.h"
#include "support/test.h"

enum { RANGE = 64 << 10, MOST_SEEN = 64, CONCURRENCY = 4 };

/* A file with known content, and a log of fetches. */
static struct {
    pthread_mutex_t mutex;
    struct fetched {
        uint64_t first;
        size_t size;
    } seen[MOST_SEEN];
    unsigned count;
    unsigned running, most_running;
    int result;
    bool waits_for_stop;
    bool waits_for_all;  /* waits until CONCURRENCY fetches run, at most 10 s */
    atomic_bool is_held; /* fetches do not end */
    atomic_uint stopped;
} store = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static const struct vv_remote_settings settings = {
    .machine = &vv_posix_system,
    .concurrency = CONCURRENCY,
    .range_size = RANGE,
};

static unsigned char byte_at(uint64_t at)
{
    return (unsigned char)(at * 7 + (at >> 9));
}

static void sleep_ms(int64_t ms)
{
    vv_posix_system.sleep(vv_posix_system.state, ms * 1000000);
}

static bool all_run(void)
{
    pthread_mutex_lock(&store.mutex);
    bool all = store.most_running == CONCURRENCY;
    pthread_mutex_unlock(&store.mutex);
    return all;
}

static int fetch(void *user, uint64_t first, unsigned char *to, size_t size,
    const atomic_bool *stop)
{
    (void)user;
    pthread_mutex_lock(&store.mutex);
    if (store.count < MOST_SEEN)
        store.seen[store.count++] = (struct fetched){ first, size };
    store.running++;
    if (store.running > store.most_running)
        store.most_running = store.running;
    pthread_mutex_unlock(&store.mutex);
    for (int ms = 0; store.waits_for_all && !all_run() && ms < 10000; ms++)
        sleep_ms(1);
    while ((store.waits_for_stop && !atomic_load(stop)) ||
           atomic_load(&store.is_held))
        sleep_ms(1);
    if (atomic_load(stop))
        atomic_fetch_add(&store.stopped, 1);
    for (size_t i = 0; i < size; i++)
        to[i] = byte_at(first + i);
    pthread_mutex_lock(&store.mutex);
    store.running--;
    pthread_mutex_unlock(&store.mutex);
    return store.result ? vv_remote_fail(store.result, "as the test says") : 0;
}

static struct vv_remote_fetching *begin(void)
{
    store.count = store.most_running = 0;
    store.result = 0;
    store.waits_for_stop = store.waits_for_all = false;
    atomic_store(&store.stopped, 0);
    struct vv_remote_fetching *a = vv_remote_ahead_new(&settings, fetch, NULL);
    cr_assert_not_null(a);
    return a;
}

/* Reads a range as users do; returns the number of prefetched bytes. */
static size_t read_range(
    struct vv_remote_fetching *a, uint64_t offset, size_t size)
{
    static unsigned char bytes[16 * RANGE];
    size_t done = 0;
    while (done < size) {
        int64_t got =
            vv_remote_ahead_read(a, bytes + done, size - done, offset + done);
        cr_assert_geq(got, 0);
        if (got == 0)
            break;
        done += (size_t)got;
    }
    for (size_t i = 0; i < done; i++)
        cr_assert_eq(bytes[i], byte_at(offset + i));
    return done;
}

TEST(remote_ahead, fetches_each_byte_once_in_concurrent_segments)
{
    struct vv_remote_fetching *a = begin();
    int owner;
    store.waits_for_all = true;
    for (uint64_t i = 0; i < 16 * 8; i++)
        vv_remote_ahead_plan(a, &owner, 1000 + i * RANGE / 8, RANGE / 8);
    for (uint64_t i = 0; i < 16 * 8; i++)
        cr_assert_eq(read_range(a, 1000 + i * RANGE / 8, RANGE / 8), RANGE / 8);
    cr_assert_eq(store.count, 16);
    for (unsigned i = 0; i < 16; i++)
        cr_assert_eq(store.seen[i].size, RANGE);
    cr_assert_eq(store.most_running, CONCURRENCY);
    cr_assert_eq(read_range(a, 1000, 10), 0); /* it was read */
    vv_remote_ahead_drop(a, &owner);
    vv_remote_ahead_free(a);
}

TEST(remote_ahead, joins_adjacent_ranges_and_omits_large_gaps)
{
    struct vv_remote_fetching *a = begin();
    const uint64_t far = 10 * (uint64_t)VV_REMOTE_GAP;
    int owner;
    vv_remote_ahead_plan(a, &owner, 0, 100);
    vv_remote_ahead_plan(a, &owner, 1100, 100); /* after a small gap */
    vv_remote_ahead_plan(a, &owner, far + 100, 50);
    vv_remote_ahead_plan(a, &owner, far, 100); /* before it */
    cr_assert_eq(read_range(a, 0, 100), 100);
    cr_assert_eq(read_range(a, 1100, 100), 100);
    cr_assert_eq(read_range(a, far + 100, 50), 50);
    cr_assert_eq(read_range(a, far, 100), 100);
    cr_assert_eq(store.count, 2);
    cr_assert_eq(store.seen[0].size + store.seen[1].size, 1200 + 150);
    vv_remote_ahead_free(a);
}

TEST(remote_ahead, leaves_a_single_request_to_its_reader)
{
    struct vv_remote_fetching *a = begin();
    int owner;
    vv_remote_ahead_plan(a, &owner, 0, 100);
    cr_assert_eq(read_range(a, 0, 100), 0);
    cr_assert_eq(read_range(a, 0, 100), 0);
    cr_assert_eq(store.count, 0);
    cr_assert_eq(vv_remote_ahead_read(NULL, NULL, 1, 0), 0);
    vv_remote_ahead_free(a);
}

TEST(remote_ahead, reports_failures_to_its_readers)
{
    struct vv_remote_fetching *a = begin();
    unsigned char byte;
    int owner;
    store.result = EIO;
    vv_remote_ahead_plan(a, &owner, 0, 2 * RANGE);
    cr_assert_eq(vv_remote_ahead_read(a, &byte, 1, 0), -EIO);
    cr_assert_str_eq(
        vv_remote_reason(EIO, "s3://bucket/a"), "as the test says");
    cr_assert_eq(vv_remote_ahead_read(a, &byte, 1, 0), 0);
    vv_remote_ahead_free(a);
}

struct reading {
    struct vv_remote_fetching *a;
    int64_t got;
};

static void *read_first(void *argument)
{
    struct reading *r = argument;
    unsigned char byte;
    r->got = vv_remote_ahead_read(r->a, &byte, 1, 0);
    return NULL;
}

static void wait_for_all(void)
{
    while (!all_run())
        sleep_ms(1);
}

/* A reader that waits for a range reads it directly if the owner drops the
 * range. */
TEST(remote_ahead, cancels_ranges_that_are_no_longer_needed)
{
    struct reading r = { .a = begin(), .got = -1 };
    pthread_t reader;
    int owner;
    store.waits_for_stop = true;
    vv_remote_ahead_plan(r.a, &owner, 0, 8 * RANGE);
    cr_assert_eq(pthread_create(&reader, NULL, read_first, &r), 0);
    wait_for_all();
    vv_remote_ahead_drop(r.a, &owner);
    pthread_join(reader, NULL);
    cr_assert_eq(r.got, 0);
    vv_remote_ahead_free(r.a);
    cr_assert_eq(store.stopped, CONCURRENCY);
    cr_assert_eq(store.count, CONCURRENCY);
}

/* No thread may start or end during the fork, since a lock of
 * AddressSanitizer's allocator would stay locked in the child. */
TEST(remote_ahead, is_not_used_in_a_child_process)
{
    int owner, how;
    cr_assert_null(vv_remote_pool_start());
    struct vv_remote_fetching *a = begin();
    struct reading r = { .a = a, .got = -1 };
    pthread_t reader;
    atomic_store(&store.is_held, true);
    vv_remote_ahead_plan(a, &owner, 0, 4 * RANGE);
    cr_assert_eq(pthread_create(&reader, NULL, read_first, &r), 0);
    wait_for_all();
    pid_t child = fork();
    if (child == 0) {
        unsigned char byte;
        alarm(20);
        atomic_store(&store.is_held, false);
        bool is_left = vv_remote_ahead_read(a, &byte, 1, RANGE) == 0;
        vv_remote_ahead_drop(a, &owner);
        vv_remote_ahead_free(a);
        pthread_mutex_init(&store.mutex, NULL);
        store.running = 0;
        struct vv_remote_fetching *own = begin();
        store.waits_for_all = true;
        vv_remote_ahead_plan(own, &owner, 0, 8 * RANGE);
        bool is_own = read_range(own, 0, 8 * RANGE) == 8 * RANGE &&
                      store.most_running == CONCURRENCY;
        vv_remote_ahead_free(own);
        _exit(is_left && is_own ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &how, 0), child);
    cr_assert_eq(how, 0);
    atomic_store(&store.is_held, false);
    pthread_join(reader, NULL);
    cr_assert_eq(r.got, 1);
    cr_assert_eq(read_range(a, RANGE, 10), 10);
    vv_remote_ahead_free(a);
}
