/* test_lease_file.c - Tests files of leases.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "lease.h"
#include "manage_world.h"
#include "system.h"
#include "watch.h"

/* A disk without locks. */
static struct vv_system unlocked;

static int no_lock(void *state, int file)
{
    (void)state;
    (void)file;
    return -ENOTSUP;
}

static void begin_unlocked(
    struct world *w, const varve_manager_options *options)
{
    world_begin(w, options);
    world_stop(w);
    unlocked = *w->context.system;
    unlocked.lock = no_lock;
    unlocked.share_lock = no_lock;
    w->context.system = &unlocked;
    world_start(w, options);
    w->may_warn = true;
}

static size_t count_leases(struct world *w)
{
    size_t count = 0;
    for (size_t i = 0; i < memory_file_count(w->memory); i++)
        count += strstr(memory_file_path(w->memory, i), ".lease") != NULL;
    return count;
}

static bool has(struct world *w, const char *path)
{
    size_t size;
    return memory_bytes(w->memory, path, &size) != NULL;
}

TEST(lease_file, protects_a_checkpoint_if_there_are_no_locks)
{
    struct world w;
    varve_error error = { 0 };
    const varve_manager_options options = { .keep_last = 1 };
    begin_unlocked(&w, &options);
    world_save(&w, 10);
    varve_lease *lease =
        vv_lease_new_in(&w.context, "run/ckpt-1.varve", &error);
    cr_assert(lease, "%s", error.message);
    cr_assert_eq(count_leases(&w), 1);
    world_save(&w, 20);
    world_save(&w, 30);
    cr_assert(has(&w, "run/ckpt-1.varve") && !has(&w, "run/ckpt-2.varve"));
    varve_lease_free(lease);
    cr_assert_eq(count_leases(&w), 0);
    world_save(&w, 40);
    cr_assert_not(has(&w, "run/ckpt-1.varve"));
    world_end(&w);
}

/* The process of the lease was killed: nothing renews it any longer. */
static int (*rename_under)(void *, int, const char *, const char *);
static struct world *leased_world;
static varve_lease *late_lease;

/* A reader takes a lease after the deletion has searched for one. */
static int rename_beside_a_lease(
    void *state, int directory, const char *from, const char *to)
{
    varve_error error = { 0 };
    if (!late_lease && strcmp(from, "ckpt-1.varve") == 0) {
        late_lease = vv_lease_new_in(
            &leased_world->context, "run/ckpt-1.varve", &error);
        cr_assert(late_lease, "%s", error.message);
    }
    return rename_under(state, directory, from, to);
}

TEST(lease_file, taken_during_the_deletion_keeps_the_checkpoint)
{
    struct world w;
    const varve_manager_options options = { .keep_last = 1 };
    begin_unlocked(&w, &options);
    leased_world = &w;
    rename_under = unlocked.rename;
    unlocked.rename = rename_beside_a_lease;
    world_save(&w, 10);
    world_save(&w, 20);
    cr_assert(late_lease);
    cr_assert(has(&w, "run/ckpt-1.varve"));
    varve_lease_free(late_lease);
    world_save(&w, 30);
    cr_assert_not(has(&w, "run/ckpt-1.varve"));
    world_end(&w);
}

TEST(lease_file, expires_by_the_time_of_the_file_server)
{
    struct world w;
    const varve_manager_options options = { .keep_last = 1 };
    begin_unlocked(&w, &options);
    world_save(&w, 10);
    memory_put(w.memory, "run/.ckpt-1.varve.0123456789abcdef.lease", "x", 1);
    world_save(&w, 20);
    cr_assert(has(&w, "run/ckpt-1.varve"));
    memory_set_now(w.memory, VV_LEASE_TERM + 1);
    world_save(&w, 30);
    cr_assert_not(has(&w, "run/ckpt-1.varve"));
    cr_assert_eq(count_leases(&w), 0);
    world_end(&w);
}

TEST(lease_file, of_a_missing_checkpoint_is_refused)
{
    struct world w;
    varve_error error = { 0 };
    begin_unlocked(&w, NULL);
    cr_assert_null(vv_lease_new_in(&w.context, "run/ckpt-1.varve", &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    cr_assert_eq(count_leases(&w), 0);
    world_end(&w);
}

TEST(lease_file, reports_a_failed_renewal_and_its_expiry)
{
    struct world w;
    varve_error error = { 0 };
    begin_unlocked(&w, &(varve_manager_options){ .keep_last = 1 });
    world_save(&w, 10);
    varve_lease *lease =
        vv_lease_new_in(&w.context, "run/ckpt-1.varve", &error);
    cr_assert(lease, "%s", error.message);
    cr_assert_ok(varve_lease_check(lease, &error), error);
    faulty_plan(w.faulty, &(struct faulty_plan){
        .number = 0, .error = EIO, .kinds = FAULTY_WRITE });
    cr_assert_eq(varve_lease_check(lease, &error), VARVE_IO);
    cr_assert(strstr(error.message,
                  "run/ckpt-1.varve: the lease could not be renewed"),
        "%s", error.message);
    faulty_plan(w.faulty, NULL);
    cr_assert_ok(varve_lease_check(lease, &error), error);
    memory_set_now(w.memory, 2 * VV_LEASE_TERM); /* as after a suspension */
    world_save(&w, 20);
    cr_assert_not(has(&w, "run/ckpt-1.varve"));
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(varve_lease_check(lease, &error), VARVE_TIMEOUT);
        cr_assert(strstr(error.message, "has expired"), "%s", error.message);
    }
    varve_lease_free(lease);
    cr_assert_eq(varve_lease_check(NULL, &error), VARVE_MISUSE);
    world_end(&w);
}

TEST(lease_file, expired_in_a_watch_is_reported_by_the_next_call)
{
    struct world w;
    varve_error error = { 0 };
    const char *path;
    begin_unlocked(&w, &(varve_manager_options){ .keep_last = 1 });
    world_save(&w, 10);
    varve_watch *watch = vv_watch_new_in(&w.context, "run/ckpt", NULL, &error);
    cr_assert_ok(varve_watch_next(watch, 0, &path, &error), error);
    memory_set_now(w.memory, 2 * VV_LEASE_TERM);
    world_save(&w, 20);
    cr_assert_eq(varve_watch_next(watch, 0, &path, &error), VARVE_TIMEOUT);
    cr_assert(strstr(error.message, "run/ckpt-1.varve: the lease has expired"),
        "%s", error.message);
    cr_assert_ok(varve_watch_next(watch, 0, &path, &error), error);
    cr_assert_str_eq(path, "run/ckpt-2.varve");
    varve_watch_free(watch);
    world_end(&w);
}

TEST(lease_file, leaves_no_file_if_system_calls_fail)
{
    for (long n = 0;; n++) {
        struct world w;
        varve_error error = { 0 };
        begin_unlocked(&w, NULL);
        world_save(&w, 10);
        faulty_plan(w.faulty,
            &(struct faulty_plan){ .number = n, .error = EIO });
        varve_lease *lease =
            vv_lease_new_in(&w.context, "run/ckpt-1.varve", &error);
        bool was_hit = faulty_hit(w.faulty);
        faulty_plan(w.faulty, NULL);
        cr_assert(lease || error.status == VARVE_IO, "%s", error.message);
        varve_lease_free(lease);
        cr_assert_eq(count_leases(&w), 0, "call %ld", n);
        world_end(&w);
        if (!was_hit)
            break;
    }
}
