/* test_saver_together.c - Tests savers of several processes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ranks.h"

#include <errno.h>

#include "directory.h"
#include "support/faulty_system.h"
#include "system.h"

static void make(struct rank *r, const varve_saver_options *options)
{
    varve_saver_options own = *options;
    own.comm = r->comm;
    r->saver = varve_saver_new(r->graph, &own, &r->error);
    if (!r->saver)
        note_status(r, "new", r->error.status);
    else if (varve_saver_add_under(r->saver, "", r->root, &r->error))
        note_status(r, "add", r->error.status);
}

static void note_list(struct rank *r)
{
    for (size_t i = 0; i < varve_saver_count(r->saver); i++)
        note(r, "%s ", varve_saver_at(r->saver, i));
    note(r, "\n");
}

static void save(struct rank *r, uint64_t step)
{
    set_values(r, (int64_t)step);
    note_status(r, "save",
        varve_saver_save(r->saver, "run/model",
            &(varve_saver_save_options){ .has_step = true, .step = step },
            &r->error));
    note_list(r);
}

static void restore(struct rank *r, const char *path)
{
    set_values(r, -1);
    note_status(r, "restore",
        varve_saver_restore(r->saver, path, NULL, NULL, &r->error));
    note(r, "step %d, %s\n", (int)r->step,
        has_values(r) ? "whole" : "something else");
}

static void check_has(const char *notes, const char *wanted)
{
    cr_assert(strstr(notes, wanted), "expected %s in\n%s", wanted, notes);
}

static const varve_saver_options plain = { .keep = 0 };

/* --- Lists ---------------------------------------------------------------- */

static void save_four(struct rank *r, const void *user)
{
    make(r, user);
    for (uint64_t step = 1; r->saver && step <= 4; step++)
        save(r, step);
}

/* The second time only the step differs. */
static void save_two_in_layers(struct rank *r, const void *user)
{
    static const varve_write_options incremental = { .incremental = true };
    (void)user;
    make(r, &plain);
    set_values(r, 7);
    for (uint64_t step = 7; step <= 8; step++) {
        r->step = (int64_t)step;
        note_status(r, "save",
            varve_saver_save(r->saver, "run/model",
                &(varve_saver_save_options){ .has_step = true,
                    .step = step, .write = &incremental },
                &r->error));
    }
    restore(r, "run/model-7");
}

TEST(saver_together, shares_unchanged_values)
{
    uint64_t bytes = 0;
    begin_disk();
    disk.total = 300000;
    const char *notes = run_ranks(3, save_two_in_layers, NULL);
    check_has(notes, "save: VARVE_OK\nsave: VARVE_OK\nrestore: VARVE_OK\n"
                     "step 7, whole");
    for (size_t i = 0; i < memory_file_count(disk.memory); i++) {
        size_t size;
        memory_bytes(
            disk.memory, memory_file_path(disk.memory, i), &size);
        bytes += size;
    }
    cr_assert_lt(bytes, 4 * disk.total + 50000);
    end_disk();
}

static void list_and_restore(struct rank *r, const void *user)
{
    const char *paths[] = { "run/model-4.varve", "run/none.varve",
        "run/model-3.varve" };
    make(r, user);
    note_status(r, "recover",
        varve_saver_recover(r->saver, "run/model", &r->error));
    note_list(r);
    note_status(
        r, "set", varve_saver_set_list(r->saver, paths, 3, &r->error));
    note_list(r);
    restore(r, "run/model");
    restore(r, "run/model-3");
    restore(r, "run/other");
    save(r, 9);
}

static int count_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    (void)name;
    ++*(unsigned *)user;
    return 0;
}

static unsigned count_files(const char *inside)
{
    unsigned count = 0;
    cr_assert_not(
        vv_directory_each(&disk.context, inside, count_name, &count, NULL));
    return count;
}

/* There are two ranks on each node, so the data of a checkpoint is in two other
 * files; the files and the folder of data files are in "run". */
TEST(saver_together, keeps_one_list_and_deletes_once)
{
    varve_saver_options options = { .keep = 2 };
    begin_disk();
    const char *notes = run_ranks(3, save_four, &options);
    check_has(notes, "run/model-3.varve run/model-4.varve \n");
    cr_assert_eq(count_files("run/layers/x"), 4);
    cr_assert_eq(count_files("run/x"), 3);
    notes = run_ranks(4, list_and_restore, &options);
    check_has(notes, "recover: VARVE_OK\nrun/model-3.varve run/model-4.varve \n"
                     "set: VARVE_OK\nrun/model-4.varve run/model-3.varve \n"
                     "restore: VARVE_OK\nstep 4, whole\n"
                     "restore: VARVE_OK\nstep 3, whole\n"
                     "restore: VARVE_NOT_FOUND: rank 0: run/other: ");
    check_has(notes, "run/model-3.varve run/model-9.varve \n");
    cr_assert_eq(count_files("run/x"), 3);
    end_disk();
}

static void restore_only(struct rank *r, const void *user)
{
    make(r, user);
    restore(r, "run/model");
}

/* With a pending save. */
static void save_and_end(struct rank *r, const void *user)
{
    make(r, user);
    save(r, 5);
    set_values(r, -1);
}

static void save_behind(struct rank *r, const void *user)
{
    make(r, user);
    for (uint64_t step = 1; step <= 4; step++) {
        save(r, step);
        set_values(r, -1);
    }
    note_status(r, "wait", varve_saver_wait(r->saver, &r->error));
    note_list(r);
    restore(r, "run/model");
}

TEST(saver_together, saves_asynchronously)
{
    varve_saver_options options = { .keep = 2, .async = true };
    begin_disk();
    const char *notes = run_ranks(3, save_behind, &options);
    check_has(notes, "wait: VARVE_OK\nrun/model-3.varve run/model-4.varve \n"
                     "restore: VARVE_OK\nstep 4, whole\n");
    cr_assert_eq(count_files("run/layers/x"), 4);
    cr_assert_eq(count_files("run/x"), 3);
    run_ranks(3, save_and_end, &options);
    check_has(run_alone(restore_only, &plain), "step 5, whole");
    end_disk();
}

/* Each node has a different time. */
static _Thread_local int64_t hour;

static int64_t other_time(void *state)
{
    (void)state;
    return hour * 3600 * 1000000000;
}

static void save_of_hours(struct rank *r, const void *user)
{
    hour = 100 * r->number;
    make(r, user);
    for (uint64_t step = 1; step <= 4; step++) {
        hour += r->number == 1 ? 10 : 1;
        save(r, step);
    }
}

TEST(saver_together, counts_hours_by_one_clock)
{
    for (int way = 0; way < 2; way++) {
        varve_saver_options options = {
            .keep = 1, .keep_every_hours = 2, .async = way
        };
        begin_disk();
        const struct vv_system *under = disk.context.system;
        struct vv_system skewed = *under;
        skewed.now = other_time;
        disk.context.system = &skewed;
        run_ranks(3, save_of_hours, &options);
        disk.context.system = under;
        check_has(run_ranks(3, list_and_restore, &plain),
            "recover: VARVE_OK\nrun/model-2.varve run/model-4.varve \n");
        end_disk();
    }
}

TEST(saver_together, restores_with_another_number_of_ranks)
{
    begin_disk();
    run_ranks(3, save_four, &plain);
    check_has(run_alone(restore_only, &plain), "step 4, whole");
    check_has(run_ranks(5, restore_only, &plain), "step 4, whole");
    end_disk();
    begin_disk();
    run_alone(save_four, &plain);
    check_has(run_ranks(2, restore_only, &plain), "step 4, whole");
    end_disk();
}

/* --- Ranks with different options ----------------------------------------- */

static void add_own(struct rank *r, const void *user)
{
    static float more[4];
    if (r->number > 0)
        varve_add_variable(r->root, "more", varve_array(more, 4));
    make(r, user);
    restore(r, "run/model");
    save(r, 5);
}

TEST(saver_together, reports_on_all_ranks_the_names_missing_on_one)
{
    begin_disk();
    run_ranks(3, save_four, &plain);
    const char *notes = run_ranks(3, add_own, &plain);
    check_has(notes, "restore: VARVE_UNMATCHED: rank 1: ");
    check_has(notes, "more");
    check_has(notes, "step -1, whole\n");
    check_has(notes, "save: VARVE_MISUSE: rank 0: run/model-5.varve: ");
    end_disk();
}

static void call_oddly(struct rank *r, const void *user)
{
    static const varve_write_options npz = { .format = VARVE_FORMAT_NPZ };
    const char *path = r->number == 1 ? "b" : "a";
    make(r, user);
    note_status(
        r, "save", varve_saver_save(r->saver, path, NULL, &r->error));
    note_status(r, "save",
        varve_saver_save(r->saver, r->number == 2 ? NULL : "a",
            &(varve_saver_save_options){ .has_step = r->number > 0 },
            &r->error));
    note_status(r, "save",
        varve_saver_save(r->saver, "a",
            &(varve_saver_save_options){ .write = &npz }, &r->error));
    restore(r, path);
    note_status(
        r, "recover", varve_saver_recover(r->saver, path, &r->error));
    note_status(
        r, "set", varve_saver_set_list(r->saver, &path, 1, &r->error));
    note_status(r, "set",
        varve_saver_set_list(r->saver, NULL, r->number == 1, &r->error));
    note_list(r);
    save(r, 1);
}

TEST(saver_together, requires_the_same_call_on_all_ranks)
{
    begin_disk();
    const char *notes = run_ranks(3, call_oddly, &plain);
    check_has(notes, "save: VARVE_MISUSE: rank 1: b: the call differs from "
        "that of rank 0\nsave: VARVE_MISUSE: rank 2: prefix is NULL");
    check_has(notes, "a: `write.format` must be VARVE_FORMAT_VARVE");
    check_has(notes, "restore: VARVE_MISUSE: rank 1: b: ");
    check_has(notes, "recover: VARVE_MISUSE: rank 1: b: ");
    check_has(notes, "set: VARVE_MISUSE: rank 1: the list of a saver: ");
    check_has(notes, "set: VARVE_MISUSE: rank 1: saver or paths is NULL");
    check_has(notes, "save: VARVE_OK\nrun/model-1.varve \n");
    end_disk();
}

static void make_oddly(struct rank *r, const void *user)
{
    char kind = *(const char *)user;
    varve_saver_options options = { .comm = r->comm,
        .keep = kind == 'k' ? r->number : 1,
        .async = kind == 'a' && r->number == 1 };
    r->saver = varve_saver_new(
        kind == 'n' && r->number == 2 ? NULL : r->graph, &options, &r->error);
    note(r, "%s", r->saver ? "made" : r->error.message);
}

TEST(saver_together, requires_equal_options_on_all_ranks)
{
    begin_disk();
    check_has(run_ranks(3, make_oddly, "k"),
        "rank 1: the saver options differ from those of rank 0");
    check_has(run_ranks(3, make_oddly, "a"),
        "rank 1: the saver options differ from those of rank 0");
    check_has(run_ranks(3, make_oddly, "n"), "rank 2: graph is NULL");
    check_has(run_ranks(3, make_oddly, "-"), "made");
    end_disk();
}

static void save_nothing(struct rank *r, const void *user)
{
    varve_saver_options options = { .comm = r->comm, .allow_empty = true };
    r->saver = varve_saver_new(r->graph, &options, &r->error);
    if (*(const char *)user == 'o' && r->number == 1 &&
        varve_saver_add_under(r->saver, "", r->root, &r->error))
        note_status(r, "add", r->error.status);
    note_status(
        r, "save", varve_saver_save(r->saver, "a", NULL, &r->error));
    restore(r, "a");
}

TEST(saver_together, does_nothing_if_all_maps_are_empty)
{
    begin_disk();
    check_has(run_ranks(3, save_nothing, "-"),
        "save: VARVE_OK\nrestore: VARVE_OK\n");
    check_has(run_ranks(3, save_nothing, "o"),
        "save: VARVE_MISUSE: rank 1: a: the call differs from that of rank 0");
    end_disk();
}

/* --- Failures ------------------------------------------------------------- */

static void save_one(struct rank *r, const void *user)
{
    make(r, user);
    save(r, 4);
}

static void whole_life(struct rank *r, const void *user)
{
    make(r, user);
    if (!r->saver || r->error.status)
        return;
    note_status(r, "recover",
        varve_saver_recover(r->saver, "run/model", &r->error));
    restore(r, "run/model");
    save(r, 5);
    note_status(r, "wait", varve_saver_wait(r->saver, &r->error));
    note_list(r);
}

static void check_restores(void)
{
    const char *notes = run_alone(restore_only, &plain);
    cr_assert(
        strstr(notes, "step 4, whole") || strstr(notes, "step 5, whole"), "%s",
        notes);
}

static void end_wherever_one_is_gone(bool async)
{
    varve_saver_options options = { .keep = 1, .async = async };
    begin_disk();
    run_ranks(3, save_one, &options);
    long calls = run_ranks_until(3, -1, whole_life, &options);
    end_disk();
    for (long i = 0; i < calls; i++) {
        begin_disk();
        run_ranks(3, save_one, &options);
        run_ranks_until(3, i, whole_life, &options);
        for (int k = 0; k < 3; k++)
            check_has(disk.notes[k], "VARVE_DISCONNECTED");
        check_restores();
        end_disk();
    }
}

TEST(saver_together, ends_on_every_rank_after_a_lost_rank)
{
    end_wherever_one_is_gone(false);
    end_wherever_one_is_gone(true);
}

static void fail_each_call(bool async)
{
    varve_saver_options options = { .keep = 1, .async = async };
    bool is_over = false;
    for (long number = 0; !is_over; number++) {
        begin_disk();
        run_ranks(3, save_one, &options);
        const struct vv_system *under = disk.context.system;
        struct faulty *faulty = faulty_new(under);
        disk.context.system = faulty_system(faulty);
        faulty_plan(
            faulty, &(struct faulty_plan){ .number = number, .error = EIO });
        run_ranks(3, whole_life, &options);
        is_over = number >= faulty_count(faulty);
        disk.context.system = under;
        faulty_free(faulty);
        check_restores();
        end_disk();
    }
}

TEST(saver_together, gives_equal_results_on_all_ranks_if_any_call_fails)
{
    fail_each_call(false);
    fail_each_call(true);
}

TEST(saver_together, gives_equal_results_if_one_rank_has_no_memory)
{
    varve_saver_options options = { .keep = 1 };
    bool is_over = false;
    for (long number = 0; !is_over; number += 3) {
        begin_disk();
        run_ranks(3, save_one, &options);
        options.async = number % 4 == 0;
        test_fail_allocation(number, number % 2);
        run_ranks(3, whole_life, &options);
        is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        check_restores();
        end_disk();
    }
}
