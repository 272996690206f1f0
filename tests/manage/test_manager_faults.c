/* test_manager_faults.c - Tests every function of a manager with a fault in
 * each allocation and each system call: the status reports it, the newest
 * intact checkpoint remains, and the next process resumes from it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "manage/run.h"
#include "support/proof.h"

/* A function under test, called on a manager with some checkpoints, or on an
 * empty disk. `act` may create the manager itself. */
struct scenario {
    const char *name;
    varve_manager_options options;
    bool is_empty; /* no previous checkpoints */
    bool is_new;   /* `act` creates the manager */
    bool saves;    /* step 40 is saved if it returns VARVE_OK */
    varve_status (*act)(struct run *run, const varve_manager_options *options,
        varve_error *error);
};

static varve_status act_new(struct run *run,
    const varve_manager_options *options, varve_error *error)
{
    run->manager = varve_manager_new(run->root, "run", options, error);
    return run->manager ? VARVE_OK : error->status;
}

static varve_status act_save(struct run *run,
    const varve_manager_options *options, varve_error *error)
{
    (void)options;
    return run_save(run, 40, error);
}

static varve_status act_save_best(struct run *run,
    const varve_manager_options *options, varve_error *error)
{
    (void)options;
    run->v = 40;
    return varve_manager_save_with(run->manager, 40,
        &(varve_manager_save_options){ .has_metric = true, .metric = 0.5,
            .force = true }, error);
}

static varve_status act_save_pinned(struct run *run,
    const varve_manager_options *options, varve_error *error)
{
    (void)options;
    run->v = 40;
    varve_status status = varve_manager_save_with(run->manager, 40,
        &(varve_manager_save_options){ .pin = true }, error);
    varve_checkpoint_info at = { 0 };
    size_t count = varve_manager_count(run->manager);
    cr_assert(status || varve_manager_warning(run->manager) ||
            (varve_manager_at(run->manager, count - 1, &at) && at.is_pinned),
        "not pinned, without an error");
    return status;
}

static varve_status act_resume(struct run *run,
    const varve_manager_options *options, varve_error *error)
{
    (void)options;
    run->v = -1;
    return varve_manager_resume(run->manager, error);
}

static varve_status act_prune(struct run *run,
    const varve_manager_options *options, varve_error *error)
{
    (void)options;
    return varve_manager_prune(run->manager, error);
}

static varve_status act_refresh(struct run *run,
    const varve_manager_options *options, varve_error *error)
{
    (void)options;
    return varve_manager_refresh(run->manager, error);
}

static varve_status act_pin(struct run *run,
    const varve_manager_options *options, varve_error *error)
{
    (void)options;
    varve_status status = varve_manager_pin(run->manager, 3, error);
    return status ? status : varve_manager_unpin(run->manager, 3, error);
}

/* Values are written to their destination while they are read. */
static const varve_read_options unstaged = { .passes = VARVE_TWO_PASSES,
    .resources.staging_size = 1 };

static const struct scenario scenarios[] = {
    { "new", { .keep_last = 2 }, false, true, false, act_new },
    { "save", { .keep_last = 2 }, false, false, true, act_save },
    { "save of the best", { .keep_last = 1, .keep_best = 1, .metric = "loss" },
        false, false, true, act_save_best },
    { "save with a pin", { .keep_last = 2 }, false, false, true,
        act_save_pinned },
    { "save by step", { .keep_last = 2, .number_by_step = true }, false, false,
        true, act_save },
    { "first save", { .keep_last = 2 }, true, false, true, act_save },
    { "resume", { .keep_last = 2 }, false, false, false, act_resume },
    { "resume that reads once", { .keep_last = 2, .read = &unstaged }, false,
        false, false, act_resume },
    { "prune", { .keep_last = 1 }, false, false, false, act_prune },
    { "refresh", { .keep_last = 2 }, false, false, false, act_refresh },
    { "pin", { .keep_last = 2 }, false, false, false, act_pin },
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static const int errors[] = { EIO, ENOSPC, EINTR, EACCES };
enum { ERRORS = sizeof errors / sizeof *errors };

struct attempt {
    const struct scenario *scenario;
    struct memory *before;
    long number;
    int error; /* 0: a failed allocation */
    bool sticky;
    char where[128];
};

/* --- What must hold ----------------------------------------------------- */

static void check_resumed(const struct run *run, const char *where)
{
    bool told = varve_manager_skipped(run->manager, 0) != NULL;
    bool restored = varve_manager_restoration(run->manager) != NULL;
    cr_assert(run->v == 30 || told, "%s: found %d without an error", where,
        run->v);
    cr_assert(restored && run->v != -1,
        "%s: started from scratch despite intact checkpoints",
        where);
}

/* Checks the step from which the next process resumes. */
static void check_found(const struct attempt *a, int found,
    varve_status status)
{
    int old = a->scenario->is_empty ? 0 : 30;
    bool is_made = a->scenario->saves && status == VARVE_OK;
    bool may_be = a->scenario->saves && status == VARVE_UNKNOWN_OUTCOME;
    cr_assert(found == (is_made ? 40 : old) || (may_be && found == 40),
        "%s: %s, and then step %d was the newest", a->where,
        varve_status_name(status), found);
}

static void check_status(const struct attempt *a, varve_status status,
    const varve_error *error)
{
    cr_assert_eq(status, error->status, "%s", a->where);
    cr_assert(status == VARVE_OK || *error->message, "%s", a->where);
    cr_assert(a->error || status == VARVE_OK || status == VARVE_NO_MEMORY,
        "%s: %s", a->where, varve_status_name(status));
}

/* Injects one fault in a new world. Returns false if it was not reached. */
static bool try_fault(struct attempt *a)
{
    struct memory *disk = run_copy(a->before);
    struct faulty *faulty = faulty_new(memory_system(disk));
    const struct scenario *s = a->scenario;
    struct run run;
    varve_error error = { 0 };
    if (s->is_new)
        run_begin_bare(&run, faulty_system(faulty));
    else
        run_begin(&run, faulty_system(faulty), &s->options);
    snprintf(a->where, sizeof a->where, "%s, %s %ld, %s%s", s->name,
        a->error ? "call" : "allocation", a->number,
        a->error ? strerror(a->error) : "no memory",
        a->sticky ? ", from then on" : "");
    faulty_plan(faulty, &(struct faulty_plan){
        .number = a->error ? a->number : -1, .error = a->error,
        .sticky = a->sticky });
    test_fail_allocation(a->error ? -1 : a->number, a->sticky);
    varve_status status = s->act(&run, &s->options, &error);
    bool hit = a->error ? faulty_hit(faulty)
                        : test_allocation_count() > a->number;
    test_fail_allocation(-1, false);
    faulty_plan(faulty, NULL);
    check_status(a, status, &error);
    if (s->act == act_resume && status == VARVE_OK)
        check_resumed(&run, a->where);
    else if (s->act == act_resume && status != VARVE_PARTIALLY_RESTORED)
        cr_assert_eq(run.v, -1, "%s: changed", a->where);
    run_end(&run);
    cr_assert_eq(faulty_open_count(faulty), 0, "%s: left open", a->where);
    faulty_free(faulty);
    check_found(a, run_survives(disk, &run_options, a->where), status);
    memory_free(disk);
    return hit;
}

static long sweep(const struct scenario *s, struct memory *before, int error,
    bool sticky)
{
    struct attempt a = {
        .scenario = s, .before = before, .error = error, .sticky = sticky
    };
    while (try_fault(&a))
        a.number++;
    return a.number;
}

static void sweep_errors(const struct scenario *s, bool calls)
{
    struct memory *before =
        s->is_empty ? memory_new() : run_history(&run_options);
    long count = 0;
    for (int sticky = 0; sticky < 2; sticky++) {
        for (int i = 0; calls && i < ERRORS; i++)
            count += sweep(s, before, errors[i], sticky);
        if (!calls)
            count += sweep(s, before, 0, sticky);
    }
    cr_assert_gt(count, 0, "%s: nothing was broken", s->name);
    proof_count("manager.faults", (uint64_t)count);
    memory_free(before);
}

TEST(manager_faults, a_failed_system_call_loses_no_checkpoint)
{
    for (int i = 0; i < SCENARIOS; i++)
        sweep_errors(&scenarios[i], true);
}

TEST(manager_faults, a_failed_allocation_loses_no_checkpoint)
{
    for (int i = 0; i < SCENARIOS; i++)
        sweep_errors(&scenarios[i], false);
}

/* Fills the disk at any byte of a save or its ledger, or in between. */
TEST(manager_faults, a_full_disk_loses_no_checkpoint)
{
    struct memory *before = run_history(&run_options);
    long count = 0;
    bool was_full = true;
    for (uint64_t room = 0; was_full; room += 16) {
        struct memory *disk = run_copy(before);
        struct run run;
        varve_error error = { 0 };
        uint64_t used = 0;
        for (size_t i = 0; i < memory_file_count(disk); i++) {
            size_t size;
            memory_bytes(disk, memory_file_path(disk, i), &size);
            used += size;
        }
        run_begin(&run, memory_system(disk), &run_options);
        memory_set_capacity(disk, used + room);
        varve_status status = run_save(&run, 40, &error);
        was_full = status || varve_manager_warning(run.manager);
        cr_assert(!status || status == VARVE_NO_SPACE, "%s", error.message);
        run_end(&run);
        memory_set_capacity(disk, UINT64_MAX);
        cr_assert_eq(run_survives(disk, &run_options, "a full disk"),
            status ? 30 : 40);
        memory_free(disk);
        count++;
    }
    cr_assert_gt(count, 2);
    proof_count("manager.faults", (uint64_t)count);
    memory_free(before);
}
