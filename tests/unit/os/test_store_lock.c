/* test_store_lock.c - Tests waiting for the lock of a store.
 *
 * tests/unit/remote/test_remote_lock_file.c tests the requests.
 *
 * SPDX-License-Identifier: MIT
 */
#include "store_lock.h"

#include <errno.h>
#include <string.h>

#include "default_allocator.h"
#include "support/test.h"
#include "system.h"

#define PATH "s3://bucket/run/.ckpt.lock"

/* A system whose lock returns a sequence of results, and then the last one
 * repeatedly. */
static struct {
    const int *results;
    int created; /* result of create_file */
    int closed;
    unsigned asked, opened, named;
    int64_t uptime;
} script;

static int create_file(void *state, int directory, const char *name)
{
    (void)state;
    cr_assert_eq(directory, VV_WORKING_DIRECTORY);
    cr_assert_str_eq(name, PATH);
    script.opened++;
    return script.created;
}

static int64_t write_run(
    void *state, int file, const void *bytes, size_t size, uint64_t offset)
{
    (void)state;
    cr_assert_eq(file, 77);
    cr_assert_eq(offset, 0);
    cr_assert_eq(size, 5);
    cr_assert_eq(memcmp(bytes, "run-7", 5), 0);
    script.named++;
    return 5;
}

static int take(void *state, int file)
{
    (void)state;
    cr_assert_eq(file, 77);
    script.asked++;
    return script.results[1] == 1 ? script.results[0] : *script.results++;
}

static int close_file(void *state, int file)
{
    (void)state;
    script.closed = file;
    return 0;
}

static int64_t uptime(void *state)
{
    (void)state;
    return script.uptime;
}

static void rest(void *state, int64_t nanoseconds)
{
    (void)state;
    cr_assert(nanoseconds > 0 && nanoseconds <= INT64_C(2000000000));
    script.uptime += nanoseconds;
}

static struct vv_store_lock lock;

static const struct vv_system scripted = { .create_file = create_file,
    .write_at = write_run,
    .lock = take,
    .close = close_file,
    .uptime = uptime,
    .sleep = rest };

/* Waits with the given results, which end with 1. */
static varve_status wait_for(
    double seconds, const int *results, varve_error *error)
{
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL), .system = &scripted
    };
    script.results = results;
    script.asked = 0;
    return vv_store_lock_take(
        &context, PATH, "run-7", seconds, &lock, error);
}

static varve_status attempt(const int *results, varve_error *error)
{
    return wait_for(0, results, error);
}

static void begin(void)
{
    lock = (struct vv_store_lock){ .file = -1 };
    memset(&script, 0, sizeof script);
    script.created = 77;
}

TEST(store_lock, is_opened_once_and_acquired_each_time)
{
    static const int free[] = { 0, 1 };
    varve_error error;
    begin();
    cr_assert_ok(attempt(free, &error), error);
    cr_assert_ok(attempt(free, &error), error);
    cr_assert_eq(script.opened, 1);
    cr_assert_eq(script.named, 1);
    cr_assert_eq(script.asked, 1);
    cr_assert_not(lock.is_missing);
    cr_assert_eq(script.uptime, 0);
}

TEST(store_lock, is_released_by_closing_it)
{
    static const int free[] = { 0, 1 };
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL), .system = &scripted
    };
    varve_error error;
    begin();
    vv_store_lock_release(&context, &lock);
    cr_assert_eq(script.closed, 0);
    cr_assert_ok(attempt(free, &error), error);
    vv_store_lock_release(&context, &lock);
    cr_assert_eq(script.closed, 77);
    cr_assert_eq(lock.file, -1);
    cr_assert_ok(attempt(free, &error), error);
    cr_assert_eq(script.opened, 2);
}

TEST(store_lock, is_waited_for_while_its_state_is_unknown)
{
    static const int expires[] = { -EBUSY, -EBUSY, -EBUSY, -EBUSY, 0, 1 };
    static const int lives[] = { -EBUSY, -EBUSY, -EWOULDBLOCK, 1 };
    varve_error error;
    begin();
    cr_assert_ok(attempt(expires, &error), error);
    cr_assert_eq(script.asked, 5);
    cr_assert_eq(script.uptime, INT64_C(1500000000));
    cr_assert_eq(attempt(lives, &error), VARVE_EXISTS);
    cr_assert_eq(script.asked, 3);
    cr_assert(strstr(error.message, PATH ": taking the lock failed: "));
    static const int free[] = { 0, 1 };
    cr_assert_ok(attempt(free, &error), error);
}

TEST(store_lock, is_waited_for_at_most_two_minutes)
{
    static const int hangs[] = { -EBUSY, 1 };
    varve_error error;
    begin();
    cr_assert_eq(attempt(hangs, &error), VARVE_EXISTS);
    cr_assert_geq(script.uptime, INT64_C(120000000000));
    cr_assert_leq(script.uptime, INT64_C(122000000000));
}

TEST(store_lock, is_waited_for_during_the_given_time)
{
    static const int released[] = { -EBUSY, -EWOULDBLOCK, -EBUSY, -EWOULDBLOCK,
        0, 1 };
    static const int lives[] = { -EWOULDBLOCK, 1 };
    varve_error error;
    begin();
    cr_assert_eq(wait_for(5, lives, &error), VARVE_EXISTS);
    cr_assert_eq(script.uptime, INT64_C(5000000000));
    cr_assert_ok(wait_for(5, released, &error), error);
    cr_assert_ok(wait_for(-1, released, &error), error);
    cr_assert_ok(wait_for(1e300, released, &error), error);
}

TEST(store_lock, is_missing_only_if_the_store_reports_it)
{
    static const int none[] = { -EOPNOTSUPP, 1 };
    static const int denied[] = { -EACCES, 1 };
    static const int broken[] = { -EIO, 1 };
    static const int free[] = { 0, 1 };
    varve_error error;
    begin();
    cr_assert_ok(attempt(none, &error), error);
    cr_assert(lock.is_missing);
    cr_assert_eq(attempt(denied, &error), VARVE_NO_PERMISSION);
    cr_assert_not(lock.is_missing);
    cr_assert_eq(attempt(broken, &error), VARVE_IO);
    cr_assert_not(lock.is_missing);
    cr_assert_ok(attempt(free, &error), error);
}

TEST(store_lock, that_cannot_be_opened_is_a_failure)
{
    static const int free[] = { 0, 1 };
    varve_error error;
    begin();
    script.created = -ENOMEM;
    cr_assert_eq(attempt(free, &error), VARVE_NO_MEMORY);
    cr_assert(strstr(error.message, PATH ": opening the lock failed: "));
    cr_assert_eq(lock.file, -1);
    cr_assert_eq(script.asked, 0);
}
