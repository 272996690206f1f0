/* test_manager_behind.c - Tests a manager with asynchronous saves together with
 * a second manager, a reader's lease, a requested save, and a deleted
 * directory.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "managed.h"

#include <dirent.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_bool is_held, waits;

/* Delays the save while the program continues. */
static int hold(void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)user;
    (void)done;
    (void)total;
    (void)what;
    while (atomic_load(&is_held)) {
        atomic_store(&waits, true);
        sched_yield();
    }
    return 0;
}

static const varve_write_options held = { .no_sync = true, .progress = hold };

static void save_held(struct program *p, int64_t step)
{
    varve_error error = { 0 };
    p->v = (float)step;
    atomic_store(&is_held, true);
    cr_assert_ok(varve_manager_save(p->manager, step, &error), error);
}

static void let_go(struct program *p, varve_status expected)
{
    varve_error error = { 0 };
    atomic_store(&is_held, false);
    varve_status status = varve_manager_wait(p->manager, &error);
    cr_assert_eq(status, expected, "%s", error.message);
}

TEST(manager_behind, excludes_a_second_manager_while_it_saves)
{
    struct program one, other;
    varve_error error = { 0 };
    start(&one, (varve_manager_options){ .async = true, .write = &held });
    save_held(&one, 0);
    cr_assert_null(varve_manager_new(one.root, test_path("run"), NULL, &error));
    cr_assert_eq(error.status, VARVE_EXISTS);
    let_go(&one, VARVE_OK);
    stop(&one);
    start(&other, (varve_manager_options){ .async = true, .write = &held });
    resume(&other);
    cr_assert_ok(varve_manager_save(other.manager, 7, &error), error);
    let_go(&other, VARVE_OK);
    must_have(&other, "1 2");
    stop(&other);
}

TEST(manager_behind, saves_again_if_a_save_is_requested_meanwhile)
{
    struct program p;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){
                  .async = true, .write = &held, .interval_steps = 100 });
    save_held(&p, 100);
    varve_manager_request_save(p.manager); /* as a SIGTERM handler does */
    cr_assert(varve_manager_is_due(p.manager, 101));
    atomic_store(&is_held, false);
    cr_assert_ok(varve_manager_save(p.manager, 101, &error), error);
    let_go(&p, VARVE_OK);
    must_have(&p, "1 2");
    cr_assert(!varve_manager_is_due(p.manager, 102));
    stop(&p);
}

TEST(manager_behind, keeps_checkpoints_leased_meanwhile)
{
    const varve_write_options synced = { .progress = hold };
    struct program p;
    varve_error error = { 0 };
    start(&p, (varve_manager_options){
                  .async = true, .write = &synced, .keep_last = 1 });
    save_held(&p, 0);
    let_go(&p, VARVE_OK);
    save_held(&p, 1);
    varve_lease *lease =
        varve_lease_new(test_path("run/ckpt-1.varve"), NULL, &error);
    cr_assert(lease, "%s", error.message);
    let_go(&p, VARVE_OK);
    must_have(&p, "1 2");
    varve_lease_free(lease);
    cr_assert_ok(varve_manager_prune(p.manager, &error), error);
    must_have(&p, "2");
    stop(&p);
}

static void remove_directory(const char *path)
{
    DIR *directory = opendir(path);
    cr_assert(directory, "%s", path);
    for (struct dirent *e; (e = readdir(directory));)
        unlinkat(dirfd(directory), e->d_name, 0);
    closedir(directory);
    cr_assert_eq(rmdir(path), 0);
}

TEST(manager_behind, reports_a_removed_directory_and_continues)
{
    struct program p;
    start(&p, (varve_manager_options){ .async = true, .write = &held });
    save_held(&p, 0);
    let_go(&p, VARVE_OK);
    atomic_store(&waits, false);
    save_held(&p, 1);
    while (!atomic_load(&waits))
        sched_yield();
    remove_directory(test_path("run"));
    let_go(&p, VARVE_NOT_FOUND);
    save_held(&p, 2);
    let_go(&p, VARVE_OK);
    cr_assert_not_null(varve_manager_latest(p.manager));
    cr_assert_not_null(varve_manager_saved(p.manager));
    stop(&p);
}
