/* test_manager_together_broadcast.c - Tests tiers of collective managers: rank
 * 0 copies, and all ranks resume from the newest checkpoint, wherever it is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ranks_manager.h"

#include <errno.h>

#include "support/faulty_system.h"
#include "system.h"

static const varve_level levels[] = { { .directory = "near" },
    { .directory = "far", .every_steps = 20, .keep_last = 1 } };
static const varve_manager_options two = {
    .keep_last = 1, .levels = levels, .level_count = 2
};

static void drain(struct rank *r)
{
    note_status(r, "drain", varve_manager_drain(r->manager, -1, &r->error));
}

static void save_and_drain(struct rank *r, const void *user)
{
    make(r, user);
    for (int step = 1; r->manager && step <= 3; step++) {
        save(r, 10 * step);
        drain(r);
    }
}

static void remove_folder(const char *folder)
{
    for (size_t i = memory_file_count(disk.memory); i-- > 0;) {
        const char *path = memory_file_path(disk.memory, i);
        if (strncmp(path, folder, strlen(folder)) == 0)
            disk.context.system->remove(
                disk.context.system->state, VV_WORKING_DIRECTORY, path);
    }
}

TEST(manager_broadcast, levels_receive_single_files_of_collective_saves)
{
    begin_disk();
    check_has(run_ranks(4, save_and_drain, &two), "drain: VARVE_OK\n");
    cr_assert(has_file("near/ckpt-1.varve") && has_file("near/ckpt-3.varve"));
    cr_assert(has_file("far/ckpt-2.varve"));
    cr_assert_not(has_file("far/ckpt-1.varve"));
    cr_assert_not(has_file("run/ckpt-2.varve"));
    remove_folder("run/");
    const char *notes = run_ranks(3, resume_only, &two);
    check_has(notes, "resume: VARVE_OK\nstep 30, whole\n");
    remove_folder("near/");
    check_has(run_ranks(2, resume_only, &two), "step 20, whole\n");
    check_has(run_alone(resume_only, &two), "step 20, whole\n");
    end_disk();
}

/* The next save gets a new number. */
TEST(manager_broadcast, resumes_from_another_one_if_the_newest_is_damaged)
{
    size_t size;
    begin_disk();
    run_ranks(3, save_and_drain, &two);
    memory_bytes(disk.memory, "run/ckpt-3.varve", &size)[100] ^= 1;
    memory_bytes(disk.memory, "near/ckpt-3.varve", &size)[100] ^= 1;
    const char *notes = run_ranks(3, go_on, &two);
    check_has(notes, "step 20, whole\n");
    check_has(notes, "saved run/ckpt-4.varve\n");
    end_disk();
}

static const struct vv_system *under;

static int refuse_far(void *state, int directory, const char *name)
{
    return strcmp(name, "far") == 0
               ? -EACCES
               : under->open_directory(state, directory, name);
}

/* Errors of a tier are the same on all ranks, and other operations continue. */
TEST(manager_broadcast, levels_that_cannot_be_listed_are_skipped)
{
    begin_disk();
    run_ranks(3, save_and_drain, &two);
    under = disk.context.system;
    struct vv_system refuses = *under;
    refuses.open_directory = refuse_far;
    disk.context.system = &refuses;
    const char *notes = run_ranks(3, resume_only, &two);
    check_has(notes, "resume: VARVE_NO_PERMISSION: rank 0: far: ");
    varve_manager_options older = two;
    older.may_resume_older = true;
    notes = run_ranks(3, resume_only, &older);
    check_has(notes, "step 30, whole\n");
    check_has(notes, "passed over far: ");
    disk.context.system = under;
    remove_folder("run/");
    remove_folder("near/");
    remove_folder("far/");
    disk.context.system = &refuses;
    notes = run_ranks(3, resume_only, &two);
    check_has(notes, "resume: VARVE_NO_PERMISSION: rank 0: far: ");
    disk.context.system = under;
    end_disk();
}

static void make_odd(struct rank *r, const void *user)
{
    const varve_level other = { .directory = r->number == 1 ? "x" : "near" };
    const varve_manager_options options = {
        .levels = &other, .level_count = 1, .comm = r->comm
    };
    (void)user;
    r->manager = varve_manager_new(r->root, "run", &options, &r->error);
    note(r, "%s", r->manager ? "made" : r->error.message);
}

TEST(manager_broadcast, levels_must_be_the_same_on_all_ranks)
{
    begin_disk();
    check_has(run_ranks(3, make_odd, NULL), "rank 1: run: the manager options "
                                            "differ from those of rank 0");
    end_disk();
}

static void ask_for_states(struct rank *r, const void *user)
{
    varve_level_state state;
    make(r, user);
    save(r, 20);
    drain(r);
    cr_assert(varve_manager_level_at(r->manager, 1, &state));
    cr_assert_str_eq(state.directory, "far");
    if (r->number == 0)
        cr_assert_str_eq(state.latest, "far/ckpt-1.varve");
    else
        cr_assert(!state.latest && state.waiting == 0);
    cr_assert_eq(state.step, r->number == 0 ? 20 : -1);
    cr_assert_not(varve_manager_level_at(r->manager, 2, &state));
}

TEST(manager_broadcast, states_of_levels_are_available_on_rank_0)
{
    begin_disk();
    run_ranks(3, ask_for_states, &two);
    end_disk();
}

/* --- Incremental checkpoints ---------------------------------------------- */

static uint64_t bytes_in(const char *folder)
{
    uint64_t all = 0;
    for (size_t i = 0; i < memory_file_count(disk.memory); i++) {
        size_t size;
        const char *path = memory_file_path(disk.memory, i);
        bool is_data = strstr(path, ".data") || strstr(path, ".varve");
        memory_bytes(disk.memory, path, &size);
        if (is_data && strncmp(path, folder, strlen(folder)) == 0)
            all += size;
    }
    return all;
}

static void save_alike(struct rank *r, const void *user)
{
    make(r, user);
    save(r, 30);
    for (int i = 0; i < 3; i++) {
        r->step++; /* the other values do not change */
        note_status(
            r, "save", varve_manager_save(r->manager, r->step, &r->error));
        drain(r);
    }
}

/* Shared data is copied once; data files without references are deleted. */
TEST(manager_broadcast, levels_have_data_files_with_the_option)
{
    static const varve_write_options write = { .incremental = true };
    varve_level near = {
        .directory = "near", .incremental = true, .keep_last = 2
    };
    const varve_manager_options options = {
        .write = &write, .levels = &near, .level_count = 1
    };
    begin_disk();
    disk.total = 600000;
    run_ranks(4, save_alike, &options);
    uint64_t one = disk.total * sizeof(float);
    cr_assert(has_file("near/ckpt-4.varve") && has_file("near/ckpt-3.varve"));
    cr_assert_not(has_file("near/ckpt-2.varve"));
    cr_assert_gt(bytes_in("near/"), one);
    cr_assert_lt(bytes_in("near/"), one + one / 4);
    remove_folder("run/");
    run_ranks(3, resume_only, &options);
    check_has(disk.notes[0], "resume: VARVE_OK\nstep 33, ");
    disk.total = 300000; /* a new graph: nothing is shared */
    near.keep_last = 1;
    remove_folder("run/");
    check_has(run_ranks(2, save_and_drain, &options), "drain: VARVE_OK");
    cr_assert(has_file("near/ckpt-4.varve"), "it is of another run");
    cr_assert_lt(bytes_in("near/"), 2 * one);
    end_disk();
}

/* --- Failures ------------------------------------------------------------- */

static void whole_life(struct rank *r, const void *user)
{
    make(r, user);
    if (!r->manager)
        return;
    resume(r);
    save(r, 40);
    drain(r);
}

static void check_resumes(void)
{
    const char *notes = run_alone(resume_only, &two);
    cr_assert(
        strstr(notes, "step 30, whole") || strstr(notes, "step 40, whole"),
        "%s", notes);
}

static void begin_life(void)
{
    begin_disk();
    run_ranks(2, save_and_drain, &two);
    remove_folder("run/");
}

TEST(manager_broadcast, ends_on_every_rank_after_a_lost_rank)
{
    begin_life();
    long calls = run_ranks_until(3, -1, whole_life, &two);
    end_disk();
    for (long i = 0; i < calls; i++) {
        begin_life();
        run_ranks_until(3, i, whole_life, &two);
        for (int k = 0; k < 3; k++)
            check_has(disk.notes[k], "VARVE_DISCONNECTED");
        check_resumes();
        end_disk();
    }
}

TEST(manager_broadcast, gives_equal_results_on_all_ranks_if_any_call_fails)
{
    bool is_over = false;
    for (long number = 0; !is_over; number += 2) {
        begin_life();
        const struct vv_system *below = disk.context.system;
        struct faulty *faulty = faulty_new(below);
        disk.context.system = faulty_system(faulty);
        faulty_plan(
            faulty, &(struct faulty_plan){
                        .number = number, .kinds = FAULTY_ALL, .error = EIO });
        run_ranks(3, whole_life, &two);
        is_over = number >= faulty_count(faulty);
        disk.context.system = below;
        faulty_free(faulty);
        check_resumes();
        end_disk();
    }
}

TEST(manager_broadcast, gives_equal_results_if_one_rank_has_no_memory)
{
    bool is_over = false;
    for (long number = 0; !is_over; number += 5) {
        begin_life();
        test_fail_allocation(number, number % 2);
        run_ranks(3, whole_life, &two);
        is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        check_resumes();
        end_disk();
    }
}
