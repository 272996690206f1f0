/* test_manager.c - Tests the information of a manager, and its pins.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "manage_world.h"
#include "system.h"

TEST(manager, changes_nothing_if_read_only)
{
    varve_error error;
    struct world w;
    world_begin(&w, &(varve_manager_options){ .read_only = true });
    cr_assert_eq(varve_manager_resume(w.manager, &error), VARVE_NOT_FOUND);
    cr_assert_eq(varve_manager_save(w.manager, 1, &error), VARVE_MISUSE);
    cr_assert_eq(varve_manager_prune(w.manager, &error), VARVE_MISUSE);
    cr_assert_ok(varve_manager_refresh(w.manager, &error), error);
    cr_assert_eq(memory_file_count(w.memory), 0);
    cr_assert_null(varve_manager_latest(w.manager));
    cr_assert_not(
        varve_manager_at(w.manager, 0, &(varve_checkpoint_info){ 0 }));
    world_end(&w);
}

TEST(manager, lists_the_reason_why_each_is_kept)
{
    struct world w;
    varve_checkpoint_info managed;
    world_begin(&w, &(varve_manager_options){ .keep_last = 2 });
    world_save(&w, 10);
    world_save(&w, 20);
    world_save(&w, 30);
    cr_assert_eq(varve_manager_count(w.manager), 2);
    cr_assert(varve_manager_at(w.manager, 0, &managed));
    cr_assert_str_eq(managed.path, "run/ckpt-2.varve");
    cr_assert_str_eq(managed.kept, "last 2");
    cr_assert(managed.is_ours && !managed.is_pinned && !managed.is_damaged);
    cr_assert_eq(managed.step, 20);
    cr_assert_eq(managed.time, -1, "not asked for");
    cr_assert(varve_manager_at(w.manager, 1, &managed));
    cr_assert_str_eq(managed.kept, "last 1, newest intact one");
    cr_assert_str_eq(varve_manager_latest(w.manager), "run/ckpt-3.varve");
    world_end(&w);
}

TEST(manager, pins_outlive_the_ledger)
{
    struct world w;
    varve_error error;
    varve_manager_options options = { .keep_last = 1 };
    world_begin(&w, &options);
    world_save(&w, 10);
    cr_assert_ok(varve_manager_pin(w.manager, 1, &error), error);
    cr_assert_ok(varve_manager_pin(w.manager, 1, &error), error);
    cr_assert_eq(
        varve_manager_pin(w.manager, 9, &error), VARVE_NOT_FOUND);
    world_save(&w, 20);
    memory_put(w.memory, "run/ckpt.ledger", "", 0);
    world_again(&w, &options);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    world_save(&w, 30);
    cr_assert_eq(varve_manager_count(w.manager), 2);
    cr_assert_ok(varve_manager_unpin(w.manager, 1, &error), error);
    cr_assert_ok(varve_manager_unpin(w.manager, 1, &error), error);
    world_save(&w, 40);
    cr_assert_eq(varve_manager_count(w.manager), 1);
    world_end(&w);
}

TEST(manager, excludes_another_manager_of_its_prefix)
{
    struct world w;
    varve_error error;
    world_begin(&w, NULL);
    world_save(&w, 10);
    varve_manager *second = varve_manager_new(w.root, "run", NULL, &error);
    cr_assert_null(second);
    cr_assert_eq(error.status, VARVE_EXISTS);
    char wanted[200];
    snprintf(wanted, sizeof wanted,
        "run: locked by process 1 on machine, run %s, which manages "
        "ckpt-N.varve; ",
        varve_manager_run(w.manager));
    cr_assert_eq(strncmp(error.message, wanted, strlen(wanted)), 0, "%s",
        error.message);
    second = varve_manager_new(w.root, "run",
        &(varve_manager_options){ .read_only = true }, &error);
    cr_assert(second, "%s", error.message);
    cr_assert_ok(varve_manager_pin(second, 1, &error), error);
    cr_assert_eq(varve_manager_prune(second, &error), VARVE_MISUSE);
    varve_manager *other = varve_manager_new(w.root, "run",
        &(varve_manager_options){ .prefix = "eval", .keep_last = 1 }, &error);
    for (int i = 0; i < 3; i++)
        cr_assert_ok(varve_manager_save(other, i, &error), error);
    cr_assert_eq(varve_manager_count(other), 1);
    cr_assert_ok(varve_manager_refresh(w.manager, &error), error);
    cr_assert_eq(varve_manager_count(w.manager), 1, "they do not mix");
    varve_manager_free(other);
    varve_manager_free(second);
    world_again(&w, NULL);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    world_save(&w, 20);
    world_end(&w);
}

TEST(manager, outlives_its_graph)
{
    struct world w;
    varve_error error;
    world_begin(&w, NULL);
    world_save(&w, 10);
    varve_graph_free(w.graph);
    w.graph = NULL;
    cr_assert_eq(varve_manager_save(w.manager, 20, &error), VARVE_MISUSE);
    cr_assert_eq(varve_manager_resume(w.manager, &error), VARVE_MISUSE);
    cr_assert_eq(varve_manager_count(w.manager), 1);
    world_end(&w);
}

TEST(manager, null_is_accepted_by_every_call)
{
    varve_error error = { 0 };
    varve_manager_free(NULL);
    varve_manager_request_save(NULL);
    cr_assert_not(varve_manager_is_due(NULL, 0));
    cr_assert_eq(varve_manager_count(NULL), 0);
    cr_assert_null(varve_manager_latest(NULL));
    cr_assert_null(varve_manager_saved(NULL));
    cr_assert_null(varve_manager_warning(NULL));
    cr_assert_null(varve_manager_restoration(NULL));
    cr_assert_null(varve_manager_skipped(NULL, 0));
    cr_assert_eq(varve_manager_save(NULL, 0, &error), VARVE_MISUSE);
    cr_assert_eq(varve_manager_resume(NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_manager_prune(NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_manager_pin(NULL, 1, &error), VARVE_MISUSE);
    cr_assert_eq(varve_manager_unpin(NULL, 1, &error), VARVE_MISUSE);
    cr_assert_eq(varve_manager_refresh(NULL, &error), VARVE_MISUSE);
}

TEST(manager, leaks_nothing_without_memory)
{
    struct world w;
    varve_error error;
    varve_checkpoint_info managed;
    world_begin(&w, NULL);
    world_save(&w, 10);
    varve_manager_free(w.manager);
    w.manager = NULL;
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        varve_manager *m = varve_manager_new(w.root, "run", NULL, &error);
        test_fail_allocation(-1, false);
        if (!m)
            cr_assert_eq(error.status, VARVE_NO_MEMORY);
        else if (varve_manager_at(m, 0, &managed)) {
            cr_assert_eq(managed.step, 10);
            varve_manager_free(m);
            if (test_allocation_count() < n)
                break;
            continue;
        }
        varve_manager_free(m);
    }
    world_end(&w);
}

static const struct vv_system *under;
static struct vv_system lossy;
static bool loses_answers;

/* Simulates a file server whose answer is lost. */
static int rename_and_fail(
    void *state, int directory, const char *from, const char *to)
{
    int result = under->rename(state, directory, from, to);
    return result == 0 && loses_answers ? -EIO : result;
}

TEST(manager, continues_after_the_number_of_a_failed_existing_save)
{
    struct world w;
    varve_error error;
    const varve_manager_options options = { .number_by_step = true };
    world_begin(&w, &options);
    world_stop(&w);
    under = w.context.system;
    lossy = *under;
    lossy.rename = rename_and_fail;
    w.context.system = &lossy;
    world_start(&w, &options);
    world_save(&w, 10);
    world_save(&w, 20);
    loses_answers = true;
    memory_set_now(w.memory, 1000);
    w.value = 21;
    cr_assert_eq(varve_manager_save(w.manager, 20, &error), VARVE_IO);
    loses_answers = false;
    w.value = 11;
    cr_assert_ok(varve_manager_save(w.manager, 10, &error), error);
    world_again(&w, &options);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(w.value, 11, "the save that was reported last");
    world_end(&w);
}
