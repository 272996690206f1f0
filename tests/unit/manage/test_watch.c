/* test_watch.c - Tests watches: each new checkpoint is returned once and in
 * time; timeouts, intervals, and files that are created or deleted at the same
 * time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "leases.h"
#include "watch.h"

static varve_watch *watch_of(
    struct sea *sea, const varve_watch_options *options)
{
    varve_error error = { .message = "" };
    varve_watch *watch =
        vv_watch_new_in(&sea->context, "run/c", options, &error);
    cr_assert(watch, "%s", error.message);
    return watch;
}

/* Returns the next path, or the name of a status. */
static const char *next(varve_watch *watch, int64_t timeout_ms)
{
    static const char untouched[] = "untouched";
    const char *path = untouched;
    varve_error error = { .message = "" };
    varve_status status = varve_watch_next(watch, timeout_ms, &path, &error);
    cr_assert_eq(status == VARVE_OK, path != untouched);
    cr_assert_eq(status == VARVE_OK, !*error.message, "%s", error.message);
    cr_assert_eq(status, *error.message ? error.status : VARVE_OK);
    cr_assert(!status || strncmp(error.message, "run", 3) == 0 ||
        status == VARVE_NO_MEMORY, "%s", error.message);
    return status ? varve_status_name(status) : path;
}

static void put_number(struct sea *sea, int number)
{
    char path[64];
    snprintf(path, sizeof path, "run/c-%d.varve", number);
    put(sea, path);
}

/* --- Results ------------------------------------------------------------ */

TEST(watch, returns_each_checkpoint_once)
{
    struct sea sea = sea_new();
    put_number(&sea, 7);
    varve_watch *watch = watch_of(&sea, NULL);
    cr_assert_eq(varve_watch_number(watch), 0);
    cr_assert_str_eq(next(watch, 0), "run/c-7.varve");
    cr_assert_eq(varve_watch_number(watch), 7);
    cr_assert_str_eq(next(watch, 0), "VARVE_TIMEOUT");
    cr_assert_str_eq(next(watch, 100), "VARVE_TIMEOUT");
    cr_assert_eq(varve_watch_number(watch), 7);
    varve_watch_free(watch);
    sea_free(&sea);
}

TEST(watch, waits_for_a_missing_directory)
{
    struct sea sea = sea_new();
    varve_watch *watch = watch_of(&sea, NULL);
    cr_assert_str_eq(next(watch, 0), "VARVE_TIMEOUT");
    cr_assert_eq(elapsed_ms(&sea), 0);
    put_number(&sea, 0);
    cr_assert_str_eq(next(watch, 0), "run/c-0.varve");
    cr_assert_str_eq(next(watch, 0), "VARVE_TIMEOUT");
    put_number(&sea, 1);
    cr_assert_str_eq(next(watch, 0), "run/c-1.varve");
    varve_watch_free(watch);
    sea_free(&sea);
}

TEST(watch, skips_all_but_the_newest)
{
    struct sea sea = sea_new();
    put_number(&sea, 10);
    put_number(&sea, 9);
    varve_watch *watch = watch_of(&sea, NULL);
    cr_assert_str_eq(next(watch, 0), "run/c-10.varve");
    put_number(&sea, 8);
    cr_assert_str_eq(next(watch, 0), "VARVE_TIMEOUT");
    varve_watch_free(watch);
    sea_free(&sea);
}

TEST(watch, returns_every_checkpoint_in_order_of_number)
{
    struct sea sea = sea_new();
    put_number(&sea, 10);
    put_number(&sea, 9);
    put_number(&sea, 11);
    varve_watch *watch =
        watch_of(&sea, &(varve_watch_options){ .every = true });
    cr_assert_str_eq(next(watch, 0), "run/c-9.varve");
    cr_assert_str_eq(next(watch, 0), "run/c-10.varve");
    put_number(&sea, 12);
    cr_assert_str_eq(next(watch, 0), "run/c-11.varve");
    cr_assert_str_eq(next(watch, 0), "run/c-12.varve");
    cr_assert_str_eq(next(watch, 0), "VARVE_TIMEOUT");
    varve_watch_free(watch);
    sea_free(&sea);
}

TEST(watch, continues_after_the_last_number_of_an_earlier_watch)
{
    struct sea sea = sea_new();
    for (int i = 1; i <= 4; i++)
        put_number(&sea, i);
    varve_watch *watch =
        watch_of(&sea, &(varve_watch_options){ .every = true, .after = 3 });
    cr_assert_eq(varve_watch_number(watch), 3);
    cr_assert_str_eq(next(watch, 0), "run/c-4.varve");
    cr_assert_str_eq(next(watch, 0), "VARVE_TIMEOUT");
    varve_watch_free(watch);
    sea_free(&sea);
}

TEST(watch, returns_only_numbered_checkpoints_of_its_prefix)
{
    static const char *const others[] = { "run/c-1.varve.tmp", "run/c-.varve",
        "run/.c-2.varve.x.tmp", "run/c-3", "run/cc-4.varve", "run/c-05.varve",
        "run/c.latest", "c-6.varve", "run/c-7.varve/file" };
    struct sea sea = sea_new();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        put(&sea, others[i]);
    varve_watch *watch = watch_of(&sea, NULL);
    cr_assert_str_eq(next(watch, 0), "VARVE_TIMEOUT");
    varve_watch_free(watch);
    sea_free(&sea);
}

TEST(watch, refuses_invalid_arguments)
{
    struct sea sea = sea_new();
    varve_error error;
    const char *path;
    cr_assert_null(vv_watch_new_in(&sea.context, NULL, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(vv_watch_new_in(&sea.context, "run/", NULL, &error));
    cr_assert_eq(error.status, VARVE_BAD_NAME);
    varve_watch_options options = { .min_interval_ms = -1 };
    cr_assert_null(vv_watch_new_in(&sea.context, "c", &options, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    options = (varve_watch_options){ .max_pause_ms = -1 };
    cr_assert_null(vv_watch_new_in(&sea.context, "c", &options, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_eq(varve_watch_next(NULL, 0, &path, &error), VARVE_MISUSE);
    varve_watch *watch = watch_of(&sea, NULL);
    cr_assert_eq(varve_watch_next(watch, 0, NULL, &error), VARVE_MISUSE);
    varve_watch_free(watch);
    varve_watch_free(NULL);
    cr_assert_eq(varve_watch_number(NULL), 0);
    sea_free(&sea);
}

/* --- Time --------------------------------------------------------------- */

/* The `done` callback of a watch, which counts its calls and acts at one. */
struct script {
    struct sea *sea;
    int asked;
    int at;           /* from 1 */
    int puts;         /* a checkpoint; 0: none */
    bool ends;
    int64_t asked_ms[64];
};

static bool play(void *user)
{
    struct script *script = user;
    cr_assert_lt(script->asked, 64);
    script->asked_ms[script->asked++] = elapsed_ms(script->sea);
    if (script->asked == script->at && script->puts)
        put_number(script->sea, script->puts);
    return script->asked == script->at && script->ends;
}

TEST(watch, ends_at_the_timeout_after_a_last_listing)
{
    struct sea sea = sea_new();
    struct script script = { .sea = &sea };
    varve_watch *watch = watch_of(&sea,
        &(varve_watch_options){ .done = play, .done_user = &script });
    cr_assert_str_eq(next(watch, 1000), "VARVE_TIMEOUT");
    cr_assert_eq(elapsed_ms(&sea), 1000);
    cr_assert_eq(script.asked_ms[script.asked - 1], 1000);
    script = (struct script){ .sea = &sea, .puts = 5, .at = script.asked };
    cr_assert_str_eq(next(watch, 1000), "run/c-5.varve");
    cr_assert_eq(elapsed_ms(&sea), 2000);
    varve_watch_free(watch);
    sea_free(&sea);
}

TEST(watch, lists_with_pauses_that_grow_to_a_second)
{
    static const int64_t usual[] = { 0, 10, 30, 70, 150, 310, 630, 1270, 2270,
        3270 };
    static const int64_t short_ones[] = { 0, 10, 30, 55, 80, 105 };
    struct sea sea = sea_new();
    struct script script = { .sea = &sea, .at = 10, .puts = 1 };
    varve_watch_options options = { .done = play, .done_user = &script };
    varve_watch *watch = watch_of(&sea, &options);
    cr_assert_str_eq(next(watch, -1), "run/c-1.varve");
    cr_assert_eq(script.asked, 10);
    cr_assert_eq(memcmp(script.asked_ms, usual, sizeof usual), 0);
    varve_watch_free(watch);
    sea_free(&sea);

    sea = sea_new();
    script = (struct script){ .sea = &sea, .at = 6, .puts = 1 };
    options.max_pause_ms = 25;
    watch = watch_of(&sea, &options);
    cr_assert_str_eq(next(watch, INT64_MAX), "run/c-1.varve");
    cr_assert_eq(memcmp(script.asked_ms, short_ones, sizeof short_ones), 0);
    varve_watch_free(watch);
    sea_free(&sea);
}

TEST(watch, keeps_a_minimum_interval_between_results)
{
    struct sea sea = sea_new();
    varve_watch *watch =
        watch_of(&sea, &(varve_watch_options){ .min_interval_ms = 5000 });
    put_number(&sea, 1);
    cr_assert_str_eq(next(watch, 100), "run/c-1.varve");
    cr_assert_eq(elapsed_ms(&sea), 0, "the first one comes at once");
    put_number(&sea, 2);
    cr_assert_str_eq(next(watch, 1000), "VARVE_TIMEOUT");
    cr_assert_eq(elapsed_ms(&sea), 1000);
    put_number(&sea, 3);
    cr_assert_str_eq(next(watch, -1), "run/c-3.varve");
    cr_assert_eq(elapsed_ms(&sea), 5000);
    varve_watch_free(watch);
    sea_free(&sea);
}

TEST(watch, ends_after_a_last_listing_when_done)
{
    struct sea sea = sea_new();
    struct script script = { .sea = &sea, .at = 3, .ends = true };
    varve_watch *watch = watch_of(&sea,
        &(varve_watch_options){ .done = play, .done_user = &script,
            .min_interval_ms = 60000 });
    cr_assert_str_eq(next(watch, -1), "VARVE_CANCELLED");
    cr_assert_eq(elapsed_ms(&sea), 30);
    for (int i = 1; i <= 2; i++) {
        script = (struct script){ .sea = &sea, .at = 1, .puts = i,
            .ends = true };
        cr_assert_str_eq(next(watch, -1),
            i == 1 ? "run/c-1.varve" : "run/c-2.varve",
            "what was there when it was done is given, interval or not");
    }
    script = (struct script){ .sea = &sea, .at = 1, .ends = true };
    cr_assert_str_eq(next(watch, -1), "VARVE_CANCELLED");
    cr_assert_eq(elapsed_ms(&sea), 30);
    varve_watch_free(watch);
    sea_free(&sea);
}

/* --- Leases ------------------------------------------------------------- */

TEST(watch, leases_its_result_until_the_next_call)
{
    struct sea sea = sea_new();
    const struct vv_system *system = memory_system(sea.memory);
    put_number(&sea, 1);
    varve_watch *watch = watch_of(&sea, NULL);
    next(watch, 0);
    cr_assert(is_leased(system, "run/c-1.varve"));
    put_number(&sea, 2);
    next(watch, 0);
    cr_assert_not(is_leased(system, "run/c-1.varve"));
    cr_assert(is_leased(system, "run/c-2.varve"));
    cr_assert_str_eq(next(watch, 0), "VARVE_TIMEOUT");
    cr_assert_not(is_leased(system, "run/c-2.varve"));
    put_number(&sea, 3);
    next(watch, 0);
    varve_watch_free(watch);
    cr_assert_not(is_leased(system, "run/c-3.varve"));

    watch = watch_of(&sea, &(varve_watch_options){ .no_lease = true });
    cr_assert_str_eq(next(watch, 0), "run/c-3.varve");
    cr_assert_eq(memory_open_count(sea.memory), 0);
    varve_watch_free(watch);
    sea_free(&sea);
}

static void delete_the_third(void *user)
{
    delete(user, "run/c-3.varve");
}

/* Retention deletes the file between the listing and the lease. */
TEST(watch, continues_after_a_file_is_deleted_meanwhile)
{
    for (int every = 0; every <= 1; every++) {
        struct sea sea = sea_new();
        for (int i = 2; i <= 4; i++)
            put_number(&sea, i);
        if (!every)
            delete(&sea, "run/c-4.varve");
        varve_watch *watch = watch_of(&sea,
            &(varve_watch_options){ .every = every, .after = every ? 2 : 0 });
        faulty_plan(sea.faulty, &(struct faulty_plan){ .kinds = FAULTY_OPEN,
            .way = FAULTY_STOPS, .stop = delete_the_third, .user = &sea });
        cr_assert_str_eq(
            next(watch, 0), every ? "run/c-4.varve" : "run/c-2.varve");
        cr_assert_str_eq(next(watch, 0), "VARVE_TIMEOUT");
        varve_watch_free(watch);
        sea_free(&sea);
    }
}

TEST(watch, waits_for_a_file_locked_by_its_writer)
{
    for (int every = 0; every <= 1; every++) {
        struct sea sea = sea_new();
        put_number(&sea, 1);
        put_number(&sea, 2);
        int file = lock_alone(&sea, every ? "run/c-1.varve" : "run/c-2.varve");
        varve_watch *watch =
            watch_of(&sea, &(varve_watch_options){ .every = every });
        cr_assert_str_eq(next(watch, 50), "VARVE_TIMEOUT");
        end_lock(&sea, file);
        cr_assert_str_eq(
            next(watch, 0), every ? "run/c-1.varve" : "run/c-2.varve");
        varve_watch_free(watch);
        sea_free(&sea);
    }
}

/* --- Failures ----------------------------------------------------------- */

TEST(watch, creation_fails_without_memory)
{
    struct sea sea = sea_new();
    varve_watch *watch = NULL;
    long n = 0;
    for (; !watch; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        watch = vv_watch_new_in(&sea.context, "run/c", NULL, &error);
        test_fail_allocation(-1, false);
        cr_assert(watch || error.status == VARVE_NO_MEMORY);
        cr_assert(watch || test_block_count() == 0);
    }
    cr_assert_eq(n, 3);
    varve_watch_free(watch);
    sea_free(&sea);
}

TEST(watch, loses_no_checkpoint_without_memory)
{
    struct sea sea = sea_new();
    put_number(&sea, 1);
    bool is_given = false;
    long n = 0;
    for (; !is_given; n++) {
        varve_watch *watch = watch_of(&sea, NULL);
        test_fail_allocation(n, false);
        const char *first = next(watch, 0);
        test_fail_allocation(-1, false);
        is_given = strcmp(first, "run/c-1.varve") == 0;
        cr_assert(is_given || strcmp(first, "VARVE_NO_MEMORY") == 0);
        cr_assert(is_given || memory_open_count(sea.memory) == 0);
        cr_assert_str_eq(next(watch, 0),
            is_given ? "VARVE_TIMEOUT" : "run/c-1.varve");
        varve_watch_free(watch);
    }
    cr_assert_geq(n, 3);
    sea_free(&sea);
}

/* The directory is removed between its opening and its listing. */
TEST(watch, waits_for_a_removed_and_recreated_directory)
{
    struct sea sea = sea_new();
    put_number(&sea, 1);
    varve_watch *watch = watch_of(&sea, NULL);
    faulty_plan(sea.faulty, &(struct faulty_plan){ .sticky = true,
        .kinds = FAULTY_EACH_NAME, .error = ENOENT });
    cr_assert_str_eq(next(watch, 1000), "VARVE_TIMEOUT");
    cr_assert_eq(elapsed_ms(&sea), 1000);
    cr_assert_lt(faulty_count(sea.faulty), 12);
    faulty_plan(sea.faulty, NULL);
    cr_assert_str_eq(next(watch, 0), "run/c-1.varve");
    varve_watch_free(watch);
    sea_free(&sea);
}

/* Failing lock or close calls do not prevent the result. */
TEST(watch, loses_no_checkpoint_if_system_calls_fail)
{
    static const int numbers[] = { EIO, ENOENT, ESTALE, EACCES, EINTR };
    long failures = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        bool was_hit = true;
        for (long n = 0; was_hit; n++) {
            struct sea sea = sea_new();
            put_number(&sea, 1);
            varve_watch *watch = watch_of(&sea, NULL);
            faulty_plan(sea.faulty, &(struct faulty_plan){
                .number = n, .error = numbers[i] });
            const char *first = next(watch, 0);
            was_hit = faulty_hit(sea.faulty);
            faulty_plan(sea.faulty, NULL);
            bool is_given = strcmp(first, "run/c-1.varve") == 0;
            cr_assert(is_given || was_hit);
            cr_assert(is_given || memory_open_count(sea.memory) == 0);
            cr_assert_str_eq(next(watch, 0),
                is_given ? "VARVE_TIMEOUT" : "run/c-1.varve");
            failures += !is_given;
            varve_watch_free(watch);
            sea_free(&sea);
        }
    }
    cr_assert_geq(failures, 20);
}
