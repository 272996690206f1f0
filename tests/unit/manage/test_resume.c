/* test_resume.c - Tests resuming from the newest intact checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "lease.h"
#include "manage_world.h"

static void damage(struct world *w, const char *path)
{
    size_t size;
    unsigned char *bytes = memory_bytes(w->memory, path, &size);
    cr_assert(bytes && size > 64);
    bytes[64] ^= 1; /* the first byte of the values */
}

static void begin_with_three(
    struct world *w, const varve_manager_options *options)
{
    world_begin(w, options);
    for (int i = 1; i <= 3; i++)
        world_save(w, i * 10);
    world_again(w, options);
}

TEST(resume, uses_the_newest_intact_and_reports_skipped_ones)
{
    struct world w;
    varve_error error;
    begin_with_three(&w, NULL);
    damage(&w, "run/ckpt-3.varve");
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(w.value, 20);
    cr_assert(strstr(varve_manager_skipped(w.manager, 0),
        "run/ckpt-3.varve"));
    cr_assert_null(varve_manager_skipped(w.manager, 1));
    varve_checkpoint_info managed;
    cr_assert(varve_manager_at(w.manager, 2, &managed));
    cr_assert(managed.is_damaged);
    cr_assert_str_eq(managed.kept, "everything is kept, damaged");
    world_save(&w, 30);
    cr_assert_str_eq(varve_manager_latest(w.manager), "run/ckpt-4.varve");
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(w.value, 30);
    cr_assert_null(varve_manager_skipped(w.manager, 0));
    world_end(&w);
}

static varve_status count_up(void *user)
{
    ++*(int *)user;
    return VARVE_OK;
}

static varve_status refuse(void *user)
{
    (void)user;
    return VARVE_NOT_FOUND;
}

TEST(resume, starts_over_if_all_are_damaged_and_it_is_allowed)
{
    struct world w;
    varve_error error;
    int calls = 0;
    varve_manager_options options = {
        .initialize = count_up, .initialize_user = &calls,
        .may_resume_older = true
    };
    begin_with_three(&w, &options);
    damage(&w, "run/ckpt-1.varve");
    memory_resize(w.memory, "run/ckpt-2.varve", 100);
    memory_resize(w.memory, "run/ckpt-3.varve", 0);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(calls, 1);
    cr_assert_null(varve_manager_restoration(w.manager));
    cr_assert(varve_manager_skipped(w.manager, 2));
    options.initialize = refuse;
    world_again(&w, &options);
    cr_assert_eq(varve_manager_resume(w.manager, &error), VARVE_CALLBACK);
    cr_assert_str_eq(error.message, "run: the `initialize` callback returned "
        "VARVE_NOT_FOUND");
    world_end(&w);
}

TEST(resume, salvages_only_if_all_are_damaged)
{
    struct world w;
    varve_error error;
    int calls = 0;
    varve_read_options read = { .salvage.on = true };
    varve_manager_options options = {
        .initialize = count_up, .initialize_user = &calls, .read = &read,
        .may_resume_older = true
    };
    begin_with_three(&w, &options);
    damage(&w, "run/ckpt-3.varve");
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(w.value, 20);
    cr_assert_eq(varve_finding_count(
        varve_manager_restoration(w.manager), VARVE_FINDING_DAMAGED), 0);
    damage(&w, "run/ckpt-1.varve");
    memory_resize(w.memory, "run/ckpt-2.varve", 100);
    memory_resize(w.memory, "run/ckpt-3.varve", 100);
    w.value = 5;
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(w.value, 5);
    varve_restoration *r = varve_manager_restoration(w.manager);
    cr_assert(strstr(varve_restoration_path(r), "ckpt-1"));
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert_eq(calls, 0);
    memory_resize(w.memory, "run/ckpt-1.varve", 100);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(calls, 1);
    world_end(&w);
}

TEST(resume, a_mismatch_does_not_use_an_older_checkpoint)
{
    struct world w;
    varve_error error;
    begin_with_three(&w, NULL);
    varve_untrack(w.root, "value");
    double wider = 0;
    varve_add_variable(w.root, "value", varve_scalar(&wider));
    cr_assert_eq(varve_manager_resume(w.manager, &error), VARVE_MISMATCH);
    cr_assert(strstr(error.message, "value"));
    cr_assert_null(varve_manager_skipped(w.manager, 0));
    cr_assert_null(varve_manager_restoration(w.manager));
    world_end(&w);
}

TEST(resume, a_permission_error_is_not_damage)
{
    struct world w;
    varve_error error;
    begin_with_three(&w, NULL);
    faulty_plan(w.faulty, &(struct faulty_plan){ .kinds = FAULTY_OPEN,
        .number = 3, .error = EACCES, .sticky = true });
    cr_assert_eq(
        varve_manager_resume(w.manager, &error), VARVE_NO_PERMISSION);
    faulty_plan(w.faulty, NULL);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(w.value, 30);
    world_end(&w);
}

TEST(resume, restores_variables_added_later)
{
    struct world w;
    varve_error error;
    world_begin(&w, NULL);
    float late = 5;
    varve_add_variable(w.root, "late", varve_scalar(&late));
    world_save(&w, 10);
    world_again(&w, NULL);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    late = 0;
    varve_add_variable(w.root, "late", varve_scalar(&late));
    cr_assert_eq(late, 5);
    cr_assert_ok(varve_assert_consumed(
                     varve_manager_restoration(w.manager), &error), error);
    world_end(&w);
}

TEST(resume, finish_resume_checks_and_keeps_the_restoration)
{
    struct world w;
    varve_error error = { 0 };
    float late = 5, never = 7;
    world_begin(&w, NULL);
    varve_node *root = varve_graph_root(w.graph);
    varve_add_variable(root, "late", varve_scalar(&late));
    world_save(&w, 10);
    cr_assert_eq(varve_manager_finish_resume(NULL, &error), VARVE_MISUSE);
    cr_assert_ok(varve_manager_finish_resume(w.manager, &error), error);
    varve_remove(varve_find(root, "late"));
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    varve_restoration *r = varve_manager_restoration(w.manager);
    varve_restoration_free(r);
    cr_assert_eq(varve_pending_count(r), 1);
    cr_assert_ok(varve_manager_finish_resume(w.manager, &error), error);
    cr_assert_eq(varve_manager_restoration(w.manager), r);
    cr_assert_eq(varve_pending_count(r), 0);
    varve_add_variable(root, "late", varve_scalar(&never));
    cr_assert_eq(never, 7);
    cr_assert_ok(varve_graph_check(w.graph, &error), error);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(never, 5, "a resume begins anew");
    world_end(&w);
}

TEST(resume, the_resumed_step_counts_for_the_interval)
{
    struct world w;
    varve_error error;
    varve_manager_options options = { .interval_steps = 10 };
    begin_with_three(&w, &options);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_not(varve_manager_is_due(w.manager, 30));
    cr_assert_not(varve_manager_is_due(w.manager, 39));
    cr_assert(varve_manager_is_due(w.manager, 40));
    world_end(&w);
}

TEST(resume, an_explicit_prune_first_verifies_checkpoints)
{
    struct world w;
    varve_error error;
    begin_with_three(&w, NULL);
    world_again(&w, &(varve_manager_options){ .keep_last = 1 });
    damage(&w, "run/ckpt-3.varve");
    cr_assert_ok(varve_manager_prune(w.manager, &error), error);
    cr_assert_null(varve_manager_warning(w.manager));
    varve_checkpoint_info managed;
    cr_assert_eq(varve_manager_count(w.manager), 2);
    cr_assert(varve_manager_at(w.manager, 0, &managed));
    cr_assert_eq(managed.number, 2);
    cr_assert_str_eq(managed.kept, "last 1, newest intact one");
    cr_assert(varve_manager_at(w.manager, 1, &managed));
    cr_assert_str_eq(managed.kept, "damaged");
    world_end(&w);
}

TEST(resume, a_dry_run_lists_the_deletions_of_a_prune)
{
    struct world w;
    varve_error error = { 0 };
    varve_checkpoint_info found;
    begin_with_three(&w, &(varve_manager_options){ .keep_last = 3 });
    world_again(&w, &(varve_manager_options){ .keep_last = 1 });
    varve_lease *lease =
        vv_lease_new_in(&w.context, "run/ckpt-1.varve", &error);
    cr_assert(lease, "%s", error.message);
    for (int i = 0; i < 2; i++) {
        cr_assert_ok((i ? varve_manager_prune : varve_manager_prune_dry_run)(
                         w.manager, &error),
            error);
        cr_assert_null(varve_manager_warning(w.manager));
        cr_assert_eq(varve_manager_count(w.manager), i ? 2 : 3);
        cr_assert(varve_manager_at(w.manager, 0, &found));
        cr_assert(found.is_leased && found.number == 1);
        cr_assert_str_eq(found.kept, "leased");
        cr_assert(varve_manager_at(w.manager, 1, &found));
        cr_assert_not(found.is_leased);
        cr_assert_eq(found.kept == NULL, i == 0);
    }
    varve_lease_free(lease);
    cr_assert_ok(varve_manager_prune_dry_run(w.manager, &error), error);
    cr_assert(varve_manager_at(w.manager, 0, &found));
    cr_assert(!found.is_leased && !found.kept);
    cr_assert_eq(varve_manager_prune_dry_run(NULL, &error), VARVE_MISUSE);
    world_end(&w);
}

TEST(resume, a_dry_run_warns_of_unreadable_files)
{
    struct world w;
    varve_error error;
    varve_checkpoint_info found;
    begin_with_three(&w, &(varve_manager_options){ .keep_last = 3 });
    world_again(&w, &(varve_manager_options){ .keep_last = 1 });
    size_t warnings = 0;
    for (long n = 0; faulty_hit(w.faulty) || n == 0; n++) {
        cr_assert_ok(varve_manager_refresh(w.manager, &error), error);
        faulty_plan(w.faulty, &(struct faulty_plan){ .kinds = FAULTY_OPEN,
                                  .number = n, .error = EACCES,
                                  .second = n + 1, .second_error = EACCES });
        varve_status status = varve_manager_prune_dry_run(w.manager, &error);
        const char *warning = varve_manager_warning(w.manager);
        cr_assert_eq(varve_manager_count(w.manager), 3);
        if (status || !warning)
            continue;
        warnings++;
        size_t kept = 0;
        for (size_t i = 0; varve_manager_at(w.manager, i, &found); i++)
            kept += found.kept &&
                    strcmp(found.kept, "its file cannot be opened") == 0;
        cr_assert_eq(kept, 1, "call %ld: %s", n, warning);
    }
    cr_assert_geq(warnings, 2);
    faulty_plan(w.faulty, NULL);
    world_end(&w);
}

TEST(resume, fails_without_memory_and_then_succeeds)
{
    struct world w;
    varve_error error;
    begin_with_three(&w, NULL);
    damage(&w, "run/ckpt-3.varve");
    for (long n = 0;; n++) {
        w.value = -1;
        test_fail_allocation(n, false);
        varve_status status = varve_manager_resume(w.manager, &error);
        bool hit = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(w.value, status ? -1 : 20);
        if (!hit)
            break;
    }
    world_end(&w);
}
