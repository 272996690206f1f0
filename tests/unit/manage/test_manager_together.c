/* test_manager_together.c - Tests managers of several processes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ranks_manager.h"

#include <errno.h>

#include "directory.h"
#include "lease.h"
#include "reader.h"
#include "support/faulty_system.h"
#include "system.h"

/* --- Saving and resuming -------------------------------------------------- */

static void save_with_all(struct rank *r, const void *user)
{
    make(r, user);
    for (int step = 1; step <= 5; step++) {
        save_with(r, step,
            &(varve_manager_save_options){ .has_metric = true,
                .metric = step == 2 ? 0.5 : 2 + r->number, /* of rank 0 */
                .pin = step == 1 });
        look_around(r);
    }
    note_status(r, "unpin", varve_manager_unpin(r->manager, 1, &r->error));
    note_status(r, "pin", varve_manager_pin(r->manager, 5, &r->error));
    note_status(r, "pin", varve_manager_pin(r->manager, 9, &r->error));
    look_around(r);
    note_status(r, "prune", varve_manager_prune(r->manager, &r->error));
    note_status(r, "refresh", varve_manager_refresh(r->manager, &r->error));
    look_around(r);
}

TEST(manager_together, returns_equal_results_on_all_ranks)
{
    varve_manager_options options = { .keep_last = 2, .keep_best = 1 };
    begin_disk();
    const char *notes = run_ranks(3, save_with_all, &options);
    check_has(notes, "saved run/ckpt-5.varve\nlatest run/ckpt-5.varve\n"
                     "warning none\nrun/ckpt-1.varve 1 1 2 ");
    check_has(notes, "pin: VARVE_NOT_FOUND: rank 0: run/ckpt-9.varve");
    check_has(notes, "run/ckpt-2.varve 2 2 0.5 ");
    cr_assert_not(has_file("run/ckpt-1.varve"));
    cr_assert_not(has_file("run/ckpt-3.varve"));
    end_disk();
}

TEST(manager_together, resumes_with_another_number_of_ranks)
{
    static const uint32_t sizes[] = { 0, 1, 2, 3, 8 };
    for (int n = 0; n < 5; n++) {
        begin_disk();
        if (sizes[n])
            run_ranks(sizes[n], save_three, &plain);
        else
            run_alone(save_three, &plain);
        for (int m = 0; m < 5; m++) {
            const char *notes =
                sizes[m] ? run_ranks(sizes[m], resume_only, &plain)
                         : run_alone(resume_only, &plain);
            check_has(notes, "resume: VARVE_OK\nstep 30, whole\n");
        }
        end_disk();
    }
}

TEST(manager_together, resumes_with_one_process_and_with_many_again)
{
    begin_disk();
    run_ranks(3, save_three, &plain);
    check_has(run_alone(go_on, &plain), "saved run/ckpt-4.varve\n");
    check_has(run_ranks(2, go_on, &plain), "saved run/ckpt-5.varve\n");
    const char *notes = run_ranks(3, resume_only, &plain);
    check_has(notes, "step 32, whole\n");
    check_has(notes, "latest run/ckpt-5.varve\n");
    end_disk();
}

/* --- Due saves ------------------------------------------------------------ */

static void save_where_one_is_asked(struct rank *r, const void *user)
{
    make(r, user);
    save(r, 1000);
    save(r, 1001);
    if (r->number == 2)
        varve_manager_request_save(r->manager);
    save(r, 1002);
    save(r, 1003);
    save_with(
        r, 1004, &(varve_manager_save_options){ .force = r->number == 1 });
    save(r, 1999);
    save(r, 2000);
}

TEST(manager_together, saves_on_all_ranks_if_one_received_a_request)
{
    varve_manager_options options = { .interval_steps = 1000 };
    begin_disk();
    const char *notes = run_ranks(3, save_where_one_is_asked, &options);
    cr_assert_str_eq(notes, "save: VARVE_OK\nsaved run/ckpt-1.varve\n"
                            "save: VARVE_OK\nsaved nothing\n"
                            "save: VARVE_OK\nsaved run/ckpt-2.varve\n"
                            "save: VARVE_OK\nsaved nothing\n"
                            "save: VARVE_OK\nsaved run/ckpt-3.varve\n"
                            "save: VARVE_OK\nsaved nothing\n"
                            "save: VARVE_OK\nsaved run/ckpt-4.varve\n");
    end_disk();
}

struct often {
    varve_manager_options options;
    int count;
};

static void save_often(struct rank *r, const void *user)
{
    const struct often *often = user;
    make(r, &often->options);
    save(r, 1);
    for (int i = 0; i < often->count; i++)
        save(r, 2);
}

TEST(manager_together, needs_one_collective_call_if_nothing_is_due)
{
    struct often often = { .options = { .interval_steps = 10 } };
    begin_disk();
    long few = run_ranks_until(3, -1, save_often, &often);
    end_disk();
    begin_disk();
    often.count = 7;
    long more = run_ranks_until(3, -1, save_often, &often);
    cr_assert_eq(more - few, 7 * 3);
    end_disk();
}

static void save_twice_a_step(struct rank *r, const void *user)
{
    make(r, user);
    save(r, 7);
    save(r, 8);
    save(r, 7);
    look_around(r);
}

TEST(manager_together, numbers_by_step)
{
    varve_manager_options options = { .number_by_step = true };
    begin_disk();
    const char *notes = run_ranks(3, save_twice_a_step, &options);
    check_has(notes, "latest run/ckpt-7.varve\n");
    check_has(run_ranks(2, resume_only, &options), "step 7, whole");
    end_disk();
}

static void save_other_step(struct rank *r, const void *user)
{
    make(r, user);
    save(r, 1);
    note_status(r, "save",
        varve_manager_save_with(r->manager, r->number == 1 ? 3 : 2,
            &(varve_manager_save_options){ .pin = true }, &r->error));
    look_around(r);
    note_status(r, "save",
        varve_manager_save(r->manager, r->number == 2 ? -1 : 2, &r->error));
    note_status(r, "pin",
        varve_manager_pin(r->manager, r->number == 1 ? 3 : 1, &r->error));
    save(r, 2);
}

TEST(manager_together, requires_the_same_step_on_all_ranks)
{
    begin_disk();
    const char *notes = run_ranks(3, save_other_step, &plain);
    check_has(notes, "save: VARVE_MISUSE: rank 1: run: rank 0 saves step 2, "
                     "this rank saves step 3\nlatest run/ckpt-1.varve\n");
    check_has(notes, "save: VARVE_MISUSE: rank 2: run: the step must not be "
        "negative");
    check_has(notes, "pin: VARVE_MISUSE: rank 1: run: rank 0 has number 1, "
                     "this rank has 3\n");
    check_has(notes, "saved run/ckpt-2.varve\n");
    cr_assert_not(has_file("run/ckpt-2.pin"));
    end_disk();
}

/* --- Ranks with different options ----------------------------------------- */

static void make_odd(struct rank *r, const void *user)
{
    static const varve_write_options npz = { .format = VARVE_FORMAT_NPZ };
    static const varve_read_options salvage = { .salvage.on = true };
    varve_manager_options options = { .comm = r->comm };
    const char *directory = "run";
    switch (*(const char *)user) {
    case 'd':
        directory = r->number == 1 ? "other" : "run";
        break;
    case 'p':
        options.prefix = r->number == 2 ? "other" : "ckpt";
        break;
    case 'o':
        options.keep_last = r->number;
        break;
    case 's':
        options.read = r->number == 1 ? &salvage : NULL;
        break;
    case 'a':
        options.async = r->number == 1;
        break;
    case 'c':
        options.async = true;
        ((varve_comm *)r->comm)->duplicate = NULL;
        break;
    case 'b':
        options.keep_bytes = 1000 + r->number;
        break;
    case 'k':
        options.retention_from_ledger = true;
        break;
    case 'l':
        options.write = &npz;
        break;
    default:
        break;
    }
    bool has_none = *(const char *)user == 'n' && r->number == 1;
    r->manager = varve_manager_new(
        has_none ? NULL : r->root, directory, &options, &r->error);
    note(r, "%s", r->manager ? "made" : r->error.message);
}

TEST(manager_together, requires_equal_options_on_all_ranks)
{
    begin_disk();
    check_has(run_ranks(3, make_odd, "d"),
        "rank 1: other: rank 0 manages another directory, prefix or metric "
        "(ckpt, metric)");
    check_has(
        run_ranks(3, make_odd, "p"), "rank 2: run: rank 0 manages another dir");
    check_has(run_ranks(3, make_odd, "o"), "rank 1: run: the manager options "
        "differ from those of rank 0");
    check_has(run_ranks(3, make_odd, "s"), "rank 1: run: the manager options "
        "differ from those of rank 0");
    check_has(run_ranks(3, make_odd, "a"), "rank 1: run: the manager options "
        "differ from those of rank 0");
    check_has(run_ranks(3, make_odd, "c"),
        "asynchronous saves need a communicator with `duplicate`");
    check_has(run_ranks(3, make_odd, "b"), "rank 1: run: the manager options "
        "differ from those of rank 0");
    check_has(run_ranks(3, make_odd, "k"),
        "`retention_from_ledger` cannot be used with `comm`");
    check_has(run_ranks(3, make_odd, "l"),
        "run: `write.format` must be VARVE_FORMAT_VARVE");
    check_has(run_ranks(3, make_odd, "n"), "rank 1: manager: node is NULL");
    check_has(run_ranks(3, make_odd, "-"), "made");
    end_disk();
}

/* --- Retention ------------------------------------------------------------ */

static int count_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    (void)name;
    ++*(unsigned *)user;
    return 0;
}

static unsigned count_layers(void)
{
    unsigned count = 0;
    cr_assert_not(vv_directory_each(
        &disk.context, "run/layers/x", count_name, &count, NULL));
    return count;
}

/* There are two ranks on each node, so a checkpoint has two data files. */
TEST(manager_together, deletes_the_data_with_its_checkpoint)
{
    varve_manager_options options = { .keep_last = 1 };
    begin_disk();
    run_ranks(4, save_three, &options);
    cr_assert_eq(count_layers(), 2);
    check_has(run_ranks(3, resume_only, &options), "step 30, whole");
    end_disk();
}

static void save_one(struct rank *r, const void *user)
{
    make(r, user);
    save(r, 30);
}

/* Resumes and saves the unchanged values. */
static void go_on_alike(struct rank *r, const void *user)
{
    make(r, user);
    resume(r);
    save(r, r->step);
}

static uint64_t size_of_all(void)
{
    uint64_t all = 0;
    for (size_t i = 0; i < memory_file_count(disk.memory); i++) {
        size_t size;
        const char *path = memory_file_path(disk.memory, i);
        memory_bytes(disk.memory, path, &size);
        if (strstr(path, ".varve") || strstr(path, ".data"))
            all += size;
    }
    return all;
}

static void look_only(struct rank *r, const void *user)
{
    make(r, user);
    look_around(r);
}

static void save_on(struct rank *r, const void *user)
{
    make(r, user);
    for (int step = 1; step <= 6; step++)
        save(r, step);
    look_around(r);
    note_status(r, "refresh", varve_manager_refresh(r->manager, &r->error));
    look_around(r);
    resume(r);
    look_around(r);
}

/* The sizes of data files of collective saves count. */
TEST(manager_together, keeps_within_a_size_limit_including_data_files)
{
    varve_manager_options options = { .keep_last = 1 };
    begin_disk();
    disk.total = 30000;
    run_ranks(3, save_one, &options);
    uint64_t one = size_of_all();
    cr_assert_gt(one, 4 * disk.total);
    end_disk();
    for (uint64_t count = 1; count <= 3; count++) {
        options = (varve_manager_options){
            .keep_bytes = count * one + one / 2
        };
        begin_disk();
        disk.total = 30000;
        const char *notes = run_ranks(3, save_on, &options);
        check_has(notes, "the newest bytes of ");
        cr_assert_leq(size_of_all(), options.keep_bytes);
        cr_assert_gt(size_of_all(), options.keep_bytes - one);
        options.keep_bytes = one / 2;
        notes = run_ranks(3, look_only, &options);
        check_has(notes, "to go"); /* on every rank */
        end_disk();
    }
}

/* An incremental checkpoint uses data files of older ones, also after these
 * are deleted. Data files are deleted with the last checkpoint that refers
 * to them. */
TEST(manager_together, shares_data_files_and_prunes_unreferenced_ones)
{
    static const varve_write_options incremental = { .incremental = true };
    varve_manager_options options = { .keep_last = 1, .write = &incremental };
    begin_disk();
    disk.total = 600000;
    run_ranks(4, save_one, &options);
    uint64_t one = size_of_all();
    cr_assert_gt(one, 4 * disk.total);
    check_has(run_ranks(4, go_on_alike, &options), "saved run/ckpt-2.varve");
    cr_assert_not(has_file("run/ckpt-1.varve"));
    cr_assert_lt(size_of_all(), one + 20000);
    check_has(run_ranks(3, resume_only, &options), "step 30, whole");
    run_ranks(4, go_on, &options); /* all values have changed */
    cr_assert_lt(size_of_all(), one + 20000);
    check_has(run_ranks(3, resume_only, &options), "step 31, whole");
    end_disk();
}

/* A reader has a lease: index and data files remain. */
TEST(manager_together, keeps_the_data_files_of_leased_checkpoints)
{
    varve_error error = { 0 };
    varve_manager_options options = { .keep_last = 1 };
    begin_disk();
    run_ranks(4, go_on, &options);
    varve_lease *lease =
        vv_lease_new_in(&disk.context, "run/ckpt-1.varve", &error);
    cr_assert(lease, "%s", error.message);
    run_ranks(4, go_on, &options);
    cr_assert_eq(count_layers(), 4);
    varve_reader *reader =
        vv_reader_open_in(&disk.context, "run/ckpt-1.varve", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    varve_lease_free(lease);
    run_ranks(4, go_on, &options);
    cr_assert_eq(count_layers(), 2);
    end_disk();
}

/* --- Asynchronous saves --------------------------------------------------- */

static const varve_manager_options in_background = {
    .keep_last = 2, .interval_steps = 10, .async = true
};

/* Saves the values of the call; all ranks list the same checkpoints. */
static void save_behind(struct rank *r, const void *user)
{
    make(r, user);
    for (int step = 10; step <= 30; step += 10) {
        save(r, step);
        set_values(r, -1);
        note_status(
            r, "early", varve_manager_save(r->manager, step + 1, &r->error));
    }
    note_status(r, "wait", varve_manager_wait(r->manager, &r->error));
    note(r, "saved %s\n", varve_manager_saved(r->manager));
    look_around(r);
    save(r, 40);
    note_status(r, "pin", varve_manager_pin(r->manager, 4, &r->error));
    look_around(r);
    save(r, 50);
    resume(r);
    look_around(r);
    save(r, 60);
}

TEST(manager_together, saves_asynchronously)
{
    begin_disk();
    const char *notes = run_ranks(3, save_behind, &in_background);
    check_has(notes, "saved run/ckpt-3.varve");
    check_has(notes, "pin: VARVE_OK");
    check_has(notes, "step 50, whole");
    cr_assert_null(strstr(notes, "ckpt-1.varve"));
    notes = run_alone(resume_only, &plain);
    check_has(notes, "step 60, whole");
    check_has(notes, "run/ckpt-4.varve");
    check_has(notes, "run/ckpt-6.varve");
    cr_assert_null(strstr(notes, "run/ckpt-3.varve"));
    end_disk();
}

static const varve_manager_options shares = { .keep_last = 1,
    .async = true,
    .write = &(const varve_write_options){ .incremental = true } };

TEST(manager_together, shares_data_files_in_asynchronous_saves)
{
    begin_disk();
    disk.total = 600000;
    run_ranks(4, save_one, &shares);
    uint64_t one = size_of_all();
    run_ranks(4, go_on_alike, &shares);
    cr_assert_lt(size_of_all(), one + 20000);
    run_ranks(4, go_on, &shares); /* all values have changed */
    run_ranks(4, go_on, &shares);
    cr_assert_lt(size_of_all(), 2 * one + 20000);
    check_has(run_ranks(3, resume_only, &shares), "step 32, whole");
    end_disk();
}

/* --- Failures ------------------------------------------------------------- */

static void whole_life(struct rank *r, const void *user)
{
    make(r, user);
    if (!r->manager)
        return;
    resume(r);
    save_with(r, 40, &(varve_manager_save_options){ .pin = true });
    note_status(r, "wait", varve_manager_wait(r->manager, &r->error));
    note_status(r, "prune", varve_manager_prune(r->manager, &r->error));
    note_status(r, "refresh", varve_manager_refresh(r->manager, &r->error));
    note_status(r, "unpin", varve_manager_unpin(r->manager, 2, &r->error));
}

static void check_resumes(void)
{
    const char *notes = run_alone(resume_only, &plain);
    cr_assert(
        strstr(notes, "step 30, whole") || strstr(notes, "step 40, whole"),
        "%s", notes);
}

TEST(manager_together, ends_on_every_rank_after_a_lost_rank)
{
    for (int way = 0; way < 2; way++) {
        varve_manager_options options = { .keep_last = 1, .async = way };
        begin_disk();
        run_ranks(3, save_one, &plain);
        long calls = run_ranks_until(3, -1, whole_life, &options);
        end_disk();
        for (long i = 0; i < calls; i++) {
            begin_disk();
            run_ranks(3, save_one, &plain);
            run_ranks_until(3, i, whole_life, &options);
            for (int k = 0; k < 3; k++)
                check_has(disk.notes[k], "VARVE_DISCONNECTED");
            check_resumes();
            end_disk();
        }
    }
}

static void check_faults(unsigned kinds, int number_of_errno, bool async)
{
    varve_manager_options options = { .keep_last = 1, .async = async };
    bool is_over = false;
    for (long number = 0; !is_over; number++) {
        begin_disk();
        run_ranks(3, save_one, &plain);
        const struct vv_system *under = disk.context.system;
        struct faulty *faulty = faulty_new(under);
        disk.context.system = faulty_system(faulty);
        faulty_plan(faulty, &(struct faulty_plan){ .number = number,
                                .kinds = kinds,
                                .error = number_of_errno });
        run_ranks(3, whole_life, &options);
        is_over = number >= faulty_count(faulty);
        disk.context.system = under;
        faulty_free(faulty);
        check_resumes();
        end_disk();
    }
}

TEST(manager_together, gives_equal_results_on_all_ranks_if_any_call_fails)
{
    check_faults(FAULTY_ALL, EIO, false);
    check_faults(FAULTY_ALL, EIO, true);
}

TEST(manager_together, gives_equal_results_on_all_ranks_if_a_disk_is_full)
{
    check_faults(FAULTY_WRITE | FAULTY_CREATE, ENOSPC, false);
    check_faults(FAULTY_WRITE | FAULTY_CREATE, ENOSPC, true);
}

TEST(manager_together, gives_equal_results_if_one_rank_has_no_memory)
{
    varve_manager_options options = { .keep_last = 1 };
    bool is_over = false;
    for (long number = 0; !is_over; number += 3) {
        begin_disk();
        run_ranks(3, save_one, &plain);
        options.async = number % 4 == 0;
        test_fail_allocation(number, number % 2);
        run_ranks(3, whole_life, &options);
        is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        check_resumes();
        end_disk();
    }
}
