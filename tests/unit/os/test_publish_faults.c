/* test_publish_faults.c - Tests publishing files when calls fail, the process
 * is killed, or the power fails at every call.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "publishing.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"

enum {
    MAY_REPEAT = FAULTY_OPEN | FAULTY_OPEN_DIRECTORY | FAULTY_CREATE |
        FAULTY_WRITE | FAULTY_RANDOM | FAULTY_MAKE_DIRECTORY | FAULTY_INFO,
    ALL_BUT_REMOVE = FAULTY_ALL & ~FAULTY_REMOVE,
};

/* One publication with a failure. */
struct scenario {
    const struct vv_system *system;
    const char *path;
    const char *old; /* previous content; NULL: no file */
    int flags;
    struct faulty_plan plan;
};

static varve_status status_of(int number)
{
    switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return VARVE_NO_SPACE;
    case ENOMEM: return VARVE_NO_MEMORY;
    default: return VARVE_IO;
    }
}

/* Returns true for calls that only clean up, lock or release: their failure
 * does not affect the result. */
static bool is_harmless(const struct faulty_call *call)
{
    unsigned kinds = FAULTY_EACH_NAME | FAULTY_LOCK | FAULTY_REMOVE |
        FAULTY_CLOSE | FAULTY_CLOSE_DIRECTORY;
    return (call->kind & kinds) ||
        (call->kind == FAULTY_OPEN && strstr(call->name, ".tmp"));
}

/* Returns the expected status for the failures in the log: that of the first
 * call that must neither be repeated nor ignored. */
static varve_status expected_status(
    const struct faulty *faulty, const struct faulty_plan *plan)
{
    if (plan->way != FAULTY_FAILS)
        return VARVE_OK;
    size_t rename = faulty_log_find(
        faulty, FAULTY_RENAME | FAULTY_RENAME_NEW, 0);
    for (size_t i = 0; i < faulty_log_size(faulty); i++) {
        const struct faulty_call *call = faulty_log_at(faulty, i);
        bool passes = plan->error == EINTR || plan->error == EAGAIN;
        if (call->result != -plan->error || is_harmless(call) ||
            (passes && !plan->sticky && (call->kind & MAY_REPEAT)))
            continue;
        if (call->kind == FAULTY_SYNC_DIRECTORY && i > rename)
            return VARVE_UNKNOWN_OUTCOME;
        return status_of(plan->error);
    }
    return VARVE_OK;
}

static bool is_in(const struct faulty *faulty, unsigned kind)
{
    size_t at = 0, end = faulty_log_size(faulty);
    while ((at = faulty_log_find(faulty, kind, at)) < end)
        if (faulty_log_at(faulty, at++)->result >= 0)
            return true;
    return false;
}

static void check_files(const struct scenario *s, const struct faulty *faulty,
    varve_status status)
{
    struct vv_context plain = test_context(s->system);
    bool is_new = status == VARVE_OK || status == VARVE_UNKNOWN_OUTCOME;
    bool is_there = is_new || s->old;
    if (is_there)
        cr_assert(holds(&plain, s->path, is_new ? "new" : s->old));
    if (s->plan.kinds & FAULTY_REMOVE) {
        cr_assert(is_new || !is_in(faulty, FAULTY_CREATE) ||
            faulty_log_find(faulty, FAULTY_REMOVE, 0) <
                faulty_log_size(faulty), "the file was not to be removed");
    }
    if (!(s->plan.sticky && (s->plan.kinds & FAULTY_REMOVE)))
        cr_assert_eq(count_beside(&plain, s->path), is_there, "stray files");
}

/* Runs the scenario. Returns false if the planned failure did not occur. */
static bool run(const struct scenario *s)
{
    struct vv_context plain = test_context(s->system);
    struct faulty *faulty = faulty_new(s->system);
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error = { .status = VARVE_OK };
    if (s->old)
        cr_assert_ok(publish(&plain, s->path, VV_PUBLISH_NO_SYNC, s->old,
            &error), error);
    faulty_plan(faulty, &s->plan);
    varve_status status = publish(&context, s->path, s->flags, "new", &error);
    bool hit = faulty_hit(faulty);
    varve_status expected = expected_status(faulty, &s->plan);
    cr_assert_eq(status, expected, "call %ld, errno %d, sticky %d: %s, not %s",
        s->plan.number, s->plan.error, s->plan.sticky,
        varve_status_name(status), varve_status_name(expected));
    cr_assert_eq(error.status, status);
    if (status)
        cr_assert_eq(error.system_error, s->plan.error);
    cr_assert_eq(faulty_open_count(faulty), 0, "left open");
    check_files(s, faulty, status);

    faulty_plan(faulty, NULL);
    cr_assert_ok(publish(&context, s->path,
        s->flags & ~VV_PUBLISH_NO_REPLACE, "next", &error), error);
    cr_assert(holds(&context, s->path, "next"));
    faulty_free(faulty);
    return hit;
}

static const int all_errors[] = { EIO, ENOSPC, EDQUOT, EINTR, EAGAIN, EFBIG,
    EROFS, ESTALE, EMFILE, ENOMEM };
enum { ERROR_COUNT = sizeof all_errors / sizeof *all_errors };

/* Once; from then on; from then on except for removals. */
static struct faulty_plan variant(long number, int error, int kind)
{
    return (struct faulty_plan){
        .number = number,
        .error = error,
        .sticky = kind > 0,
        .kinds = kind == 2 ? ALL_BUT_REMOVE : FAULTY_ALL,
    };
}

static long run_in_memory(struct scenario s, int error, int kind)
{
    bool hit = true;
    long number = 0;
    for (; hit; number++) {
        struct memory *memory = memory_new();
        s.system = memory_system(memory);
        s.plan = variant(number, error, kind);
        hit = run(&s);
        memory_free(memory);
    }
    return number - 1;
}

TEST(publish_faults, every_error_of_every_call_is_handled)
{
    static const struct scenario scenarios[] = {
        { .path = "f" },
        { .path = "f", .old = "old" },
        { .path = "f", .flags = VV_PUBLISH_NO_REPLACE },
        { .path = "f", .flags = VV_PUBLISH_NO_SYNC, .old = "old" },
        { .path = "/a/b/c/f" },
    };
    long calls = 0;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        for (size_t e = 0; e < ERROR_COUNT; e++)
            for (int kind = 0; kind < 3; kind++)
                calls += run_in_memory(scenarios[i], all_errors[e], kind);
    cr_assert_gt(calls, 5 * ERROR_COUNT * 3 * 8);
}

TEST(publish_faults, every_failed_call_is_handled_on_the_real_system)
{
    static const int errors[] = { EIO, ENOSPC, EINTR };
    char path[512];
    strcpy(path, test_path("f"));
    for (size_t e = 0; e < 3; e++)
        for (int kind = 0; kind < 3; kind += 2) {
            struct scenario s = {
                .system = &vv_posix_system, .path = path, .old = "old" };
            bool hit = true;
            for (long number = 0; hit; number++) {
                s.plan = variant(number, errors[e], kind);
                hit = run(&s);
            }
        }
}

TEST(publish_faults, short_writes_are_completed)
{
    static const enum faulty_way ways[] = { FAULTY_ONE_BYTE, FAULTY_HALF };
    for (size_t i = 0; i < 2; i++) {
        struct memory *memory = memory_new();
        struct scenario s = { .system = memory_system(memory), .path = "f",
            .plan = { .sticky = true, .way = ways[i] } };
        cr_assert(run(&s));
        memory_free(memory);
    }
}

TEST(publish_faults, a_failed_sync_or_close_is_never_retried)
{
    static const unsigned kinds[] = {
        FAULTY_SYNC, FAULTY_SYNC_DIRECTORY, FAULTY_CLOSE_CREATED };
    for (size_t k = 0; k < 3; k++)
        for (size_t e = 0; e < ERROR_COUNT; e++) {
            struct memory *memory = memory_new();
            struct faulty *faulty = faulty_new(memory_system(memory));
            struct vv_context context = test_context(faulty_system(faulty));
            faulty_plan(faulty, &(struct faulty_plan){
                .kinds = kinds[k], .error = all_errors[e] });
            cr_assert_neq(publish(&context, "f", 0, "new", NULL), VARVE_OK);
            cr_assert_eq(faulty_count(faulty), 1);
            faulty_free(faulty);
            memory_free(memory);
        }
}

/* A file that cannot be examined must not be replaced. */
TEST(publish_faults, an_inaccessible_name_is_not_assumed_to_be_free)
{
    static const int errors[] = { EIO, EMFILE, ENOMEM };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct memory *memory = memory_new();
        struct faulty *faulty = faulty_new(memory_system(memory));
        struct vv_context context = test_context(faulty_system(faulty));
        memory_put(memory, "f", "old", 3);
        faulty_plan(faulty, &(struct faulty_plan){
            .kinds = FAULTY_OPEN, .error = errors[i] });
        varve_error error;
        cr_assert_eq(publish(
            &context, "f", VV_PUBLISH_NO_REPLACE, "new", &error),
            status_of(errors[i]));
        cr_assert(strstr(error.message, "f: accessing it failed"), "%s",
            error.message);
        cr_assert(holds(&context, "f", "old"));
        cr_assert_eq(memory_file_count(memory), 1);
        faulty_free(faulty);
        memory_free(memory);
    }
}

TEST(publish_faults, an_unknown_outcome_reports_that_the_file_exists)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    faulty_plan(faulty, &(struct faulty_plan){
        .kinds = FAULTY_SYNC_DIRECTORY, .number = 1, .error = EIO });
    varve_error error;
    cr_assert_eq(
        publish(&context, "f", 0, "new", &error), VARVE_UNKNOWN_OUTCOME);
    cr_assert_eq(error.status, VARVE_UNKNOWN_OUTCOME);
    cr_assert_eq(error.system_error, EIO);
    cr_assert(strstr(error.message, "in place"));
    cr_assert(holds(&context, "f", "new"));
    faulty_free(faulty);
    memory_free(memory);
}

TEST(publish_faults, a_temporary_file_is_removed_at_the_second_attempt)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    faulty_plan(faulty, &(struct faulty_plan){
        .kinds = FAULTY_REMOVE, .error = EIO });
    struct vv_publication p;
    varve_error error;
    cr_assert_ok(vv_publish_begin(&p, &context, "f", 0, &error), error);
    vv_publish_end(&p, VARVE_CANCELLED, NULL);
    cr_assert(faulty_hit(faulty));
    cr_assert_eq(memory_file_count(memory), 0);
    faulty_free(faulty);
    memory_free(memory);
}

TEST(publish_faults, a_full_disk_leaves_the_old_file)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    memory_put(memory, "f", "old", 3);
    for (uint64_t room = 0; room < 3; room++) {
        memory_set_capacity(memory, 3 + room);
        cr_assert_eq(publish(&context, "f", 0, "new", NULL), VARVE_NO_SPACE);
        cr_assert(holds(&context, "f", "old"));
        cr_assert_eq(memory_file_count(memory), 1);
    }
    memory_set_capacity(memory, 6);
    cr_assert_eq(publish(&context, "f", 0, "new", NULL), VARVE_OK);
    memory_free(memory);
}

TEST(publish_faults, a_failed_allocation_leaves_no_file)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_status status = VARVE_NO_MEMORY;
    long n = 0;
    for (; status == VARVE_NO_MEMORY; n++) {
        cr_assert_eq(memory_file_count(memory), 0);
        test_fail_allocation(n, false);
        status = publish(&context, "a/f", 0, "new", NULL);
        cr_assert_eq(memory_open_count(memory), 0);
    }
    cr_assert_eq(status, VARVE_OK);
    cr_assert_gt(n, 1);
    memory_free(memory);
}

enum { DIED = 77 };

static void die(void *user)
{
    (void)user;
    _exit(DIED);
}

/* Publishes in a child that is killed at a call. Returns true if it was
 * killed. */
static bool publish_and_die(const char *path, long number)
{
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        struct faulty *faulty = faulty_new(&vv_posix_system);
        struct vv_context context = test_context(faulty_system(faulty));
        faulty_plan(faulty, &(struct faulty_plan){
            .number = number, .way = FAULTY_STOPS, .stop = die });
        _exit(publish(&context, path, 0, "new", NULL) == VARVE_OK ? 0 : 1);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status));
    int code = WEXITSTATUS(status);
    cr_assert(code == 0 || code == DIED);
    return code == DIED;
}

TEST(publish_faults, a_killed_process_leaves_the_old_or_the_new_file)
{
    struct vv_context plain = test_context(&vv_posix_system);
    char path[512];
    strcpy(path, test_path("f"));
    bool died = true;
    for (long number = 0; died; number++) {
        test_write_file(path, "old", 3);
        died = publish_and_die(path, number);
        bool is_old = holds(&plain, path, "old");
        cr_assert(is_old || holds(&plain, path, "new"));
        cr_assert(died || !is_old);
        cr_assert_eq(publish(&plain, path, 0, "next", NULL), VARVE_OK);
        cr_assert(holds(&plain, path, "next"));
        cr_assert_eq(count_beside(&plain, path), 1, "a file was left");
    }
}

/* Before every call, checks the possible states after a power failure. */
struct watch {
    struct memory *memory;
    const char *path;
    bool had_old;
    bool is_done; /* the call reported success */
    int looks;
};

static void look(void *user)
{
    struct watch *w = user;
    for (int i = 0; i < 4; i++) {
        struct memory *after =
            memory_after_power_cut(w->memory, i & 1, i & 2);
        struct vv_context context = test_context(memory_system(after));
        bool is_new = holds(&context, w->path, "new");
        size_t size;
        bool is_old = w->had_old ? holds(&context, w->path, "old") :
            !memory_bytes(after, w->path, &size);
        cr_assert(is_new || (is_old && !w->is_done));
        memory_free(after);
        w->looks++;
    }
}

static void watch_power_cuts(const char *path, bool had_old, int flags)
{
    struct watch w = { memory_new(), path, had_old, false, 0 };
    struct faulty *faulty = faulty_new(memory_system(w.memory));
    struct vv_context context = test_context(faulty_system(faulty));
    if (had_old)
        memory_put(w.memory, path, "old", 3);
    faulty_plan(faulty, &(struct faulty_plan){ .sticky = true,
        .way = FAULTY_STOPS, .stop = look, .user = &w });
    varve_error error;
    cr_assert_ok(publish(&context, path, flags, "new", &error), error);
    w.is_done = true;
    look(&w);
    cr_assert_gt(w.looks, 40);
    faulty_free(faulty);
    memory_free(w.memory);
}

TEST(publish_faults, a_power_cut_leaves_the_old_or_the_new_file)
{
    watch_power_cuts("f", true, 0);
    watch_power_cuts("f", false, 0);
    watch_power_cuts("f", false, VV_PUBLISH_NO_REPLACE);
    watch_power_cuts("a/b/f", false, 0);
    watch_power_cuts("a/f", true, 0);
}
