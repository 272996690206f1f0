/* test_levels_power_cut.c - Tests power failures during saves that are copied
 * to a storage tier in the background.
 *
 * The directory of the manager and that of the tier lose unsynced data
 * independently, as two file systems do, and one of the two may be lost
 * completely. The run resumes from the newest save that had returned, or, if
 * the fast directory is lost, from the newest copy that was waited for. The
 * next save is copied again.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include <varve/levels.h>

#include "crash/recorder.h"
#include "crash/states.h"
#include "manage/run.h"
#include "support/proof.h"
#include "system.h"

enum { SAVES = 4, NEXT = 100 };

static const varve_level level = { .directory = "far", .keep_last = 1 };

struct scenario {
    const char *name;
    const char *lost; /* a directory that is lost, or NULL */
    bool is_async;
};

static const struct scenario scenarios[] = {
    { "both remain", NULL, false },
    { "the fast one is lost", "run", false },
    { "the tier is lost", "far", false },
    { "both remain, asynchronous saves", NULL, true },
    { "the fast one is lost, asynchronous saves", "run", true },
};

struct search {
    const struct scenario *scenario;
    long time;
    /* times at which each save started, returned, and was copied */
    long begun[SAVES], saved[SAVES], copied[SAVES];
    bool has_gone_on; /* resumed from a save that had not returned */
    struct crash_count count;
};

static varve_manager_options options_of(const struct scenario *s)
{
    return (varve_manager_options){ .keep_last = 1, .async = s->is_async,
        .levels = &level, .level_count = 1 };
}

static int step_of(const struct search *s, const long *times)
{
    int step = 0;
    for (int i = 0; i < SAVES && times[i] <= s->time; i++)
        step = i + 1;
    return step;
}

/* --- What a disk has ------------------------------------------------------ */

static void lose(struct memory *disk, const char *directory)
{
    const struct vv_system *system = memory_system(disk);
    size_t size = strlen(directory);
    for (size_t i = memory_file_count(disk); i-- > 0;) {
        const char *path = memory_file_path(disk, i);
        if (strncmp(path, directory, size) == 0 && path[size] == '/')
            system->remove(system->state, VV_WORKING_DIRECTORY, path);
    }
    system->remove(system->state, VV_WORKING_DIRECTORY, directory);
}

/* Checks the warning. A ledger is not synced, so one that is no longer
 * recognized as a ledger is kept and reported. */
static void check_warning(const char *warning)
{
    cr_assert(
        !warning || strstr(warning,
                        "/ckpt.ledger: this file has the name of the ledger"),
        "%s", warning);
}

/* Resumes with a new manager and returns the step. The next save must reach the
 * tier. */
static int go_on(
    struct memory *disk, const varve_manager_options *options, int next)
{
    struct run run;
    varve_error error = { 0 };
    run_begin(&run, memory_system(disk), options);
    run_must_resume(&run);
    int found = run.v;
    cr_assert_ok(run_save(&run, next, &error), error);
    check_warning(varve_manager_warning(run.manager));
    cr_assert_ok(varve_manager_drain(run.manager, -1, &error), error);
    varve_level_state state;
    cr_assert(varve_manager_level_at(run.manager, 0, &state));
    check_warning(state.failure);
    cr_assert_eq(state.step, next);
    run_end(&run);
    return found;
}

static void look(void *user, struct memory *disk)
{
    struct search *s = user;
    const varve_manager_options options = options_of(s->scenario);
    const char *lost = s->scenario->lost;
    int least = step_of(s, s->saved);
    if (lost && strcmp(lost, "run") == 0)
        least = step_of(s, s->copied);
    if (lost)
        lose(disk, lost);
    int found = go_on(disk, &options, NEXT);
    cr_assert(found >= least && found <= step_of(s, s->begun),
        "%s, power cut after change %ld: step %d was saved, found %d",
        s->scenario->name, s->time, least, found);
    s->has_gone_on |= found > least;
    lose(disk, "run");
    cr_assert_eq(go_on(disk, &options, NEXT + 1), NEXT);
}

/* --- What happens --------------------------------------------------------- */

/* Saves all checkpoints. Waits for the copy of every second one; the other
 * copies run during the next save. */
static void save_all(struct search *s, const struct vv_system *system)
{
    struct run run;
    varve_error error = { 0 };
    const varve_manager_options options = options_of(s->scenario);
    run_begin(&run, system, &options);
    for (int i = 0; i < SAVES; i++) {
        s->begun[i] = recorder_time();
        run_must_save(&run, i + 1);
        cr_assert_ok(varve_manager_wait(run.manager, &error), error);
        s->saved[i] = recorder_time();
        s->copied[i] = 1000000;
        if (i % 2 == 0)
            continue;
        cr_assert_ok(varve_manager_drain(run.manager, -1, &error), error);
        s->copied[i] = recorder_time();
        s->copied[i - 1] = recorder_time();
    }
    run_end(&run);
}

static void search_all(struct search *s)
{
    struct memory *disk = memory_new();
    const struct vv_system *system = recorder_begin(disk, CRASH_NONE);
    const struct history *history = recorder_history();
    save_all(s, system);
    for (s->time = 0; s->time <= history->time; s->time++)
        crash_states_at(history, s->time, look, s, &s->count);
    recorder_end();
    memory_free(disk);
}

TEST(crash, a_power_cut_loses_no_save_of_a_manager_with_levels)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        struct search s = { .scenario = &scenarios[i],
            .count.most = proof_size(16, 256),
            .count.most_names = 1024 };
        search_all(&s);
        cr_assert(s.has_gone_on,
            "%s: the power was never cut within a save", s.scenario->name);
        cr_log_info("%s: %ld states at %ld times (not all at %ld)",
            s.scenario->name, s.count.states, s.count.times,
            s.count.cut_times);
        proof_count("levels.crashes", (uint64_t)s.count.states);
    }
}
