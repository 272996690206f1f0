/* test_manager_power_cut.c - Tests power failures during a manager's save, the
 * update of its ledger and its deletions.
 *
 * Whatever combination of old and new names and contents remains on the disk,
 * the run resumes from the older or the newer checkpoint; from the newer one
 * once the save has returned.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "crash/recorder.h"
#include "crash/states.h"
#include "manage/run.h"
#include "support/proof.h"

struct scenario {
    const char *name;
    varve_manager_options options;
    bool is_empty;
};

static const struct scenario scenarios[] = {
    { "a save", { .keep_last = 2 }, false },
    { "a save that deletes two", { .keep_last = 1 }, false },
    { "a save by step", { .keep_last = 2, .number_by_step = true }, false },
    { "a first save", { .keep_last = 2 }, true },
};

struct search {
    const struct scenario *scenario;
    long time;
    bool is_done;
    bool were_found[2]; /* resumed from the older, from the newer step */
    struct crash_count count;
};

static void look(void *user, struct memory *disk)
{
    struct search *s = user;
    int old = s->scenario->is_empty ? 0 : 30;
    char where[128];
    snprintf(where, sizeof where, "%s, power cut after change %ld%s",
        s->scenario->name, s->time, s->is_done ? " and the return" : "");
    int found = run_survives(disk, &run_options, where);
    cr_assert(found == 40 || (found == old && !s->is_done), "%s: found step %d",
        where, found);
    s->were_found[found == 40] = true;
}

static void put_history(void)
{
    struct memory *history = run_history(&run_options);
    for (size_t i = 0; i < memory_file_count(history); i++) {
        size_t size;
        const char *path = memory_file_path(history, i);
        const void *bytes = memory_bytes(history, path, &size);
        recorder_put(path, bytes, size);
    }
    memory_free(history);
}

static void search_all(struct search *s)
{
    struct memory *disk = memory_new();
    const struct vv_system *system = recorder_begin(disk, CRASH_NONE);
    if (!s->scenario->is_empty)
        put_history();
    const struct history *history = recorder_history();
    long time = history->time;
    struct run run;
    run_begin(&run, system, &s->scenario->options);
    run_must_save(&run, 40);
    for (; time <= history->time; time++) {
        s->time = time;
        crash_states_at(history, time, look, s, &s->count);
    }
    s->is_done = true;
    crash_states_at(history, history->time, look, s, &s->count);
    run_end(&run);
    recorder_end();
    memory_free(disk);
}

TEST(crash, a_power_cut_leaves_a_resumable_directory)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        struct search s = { .scenario = &scenarios[i],
            .count.most = proof_size(4096, 65536) };
        search_all(&s);
        cr_assert(s.were_found[0] && s.were_found[1],
            "%s: the power was never cut in between", s.scenario->name);
        cr_log_info("%s: %ld states at %ld times (not all at %ld)",
            s.scenario->name, s.count.states, s.count.times, s.count.cut_times);
        proof_count("manager.crashes", (uint64_t)s.count.states);
    }
}

/* --- Beside saves that are not synced ------------------------------------- */

/* Checks a disk after saves that were not synced. They may be torn and are then
 * skipped; the last synced one must exist. */
static void look_at_siblings(void *user, struct memory *disk)
{
    const struct search *s = user;
    struct run run;
    varve_error error = { 0 };
    run_begin(&run, memory_system(disk), &run_options);
    varve_status status = varve_manager_resume(run.manager, &error);
    cr_assert_eq(status, VARVE_OK, "power cut after change %ld: %s", s->time,
        error.message);
    cr_assert(run.v == 30 || run.v == 40 || run.v == 50,
        "power cut after change %ld: found step %d", s->time, run.v);
    run_end(&run);
}

TEST(crash, saves_without_syncs_never_lose_the_last_synced_one)
{
    static const varve_write_options no_sync = { .no_sync = true };
    const varve_manager_options options = { .keep_last = 1, .write = &no_sync };
    struct search s = { .count.most = proof_size(256, 8192) };
    struct memory *disk = memory_new();
    const struct vv_system *system = recorder_begin(disk, CRASH_NONE);
    put_history();
    const struct history *history = recorder_history();
    struct run run;
    run_begin(&run, system, &options);
    run_must_save(&run, 40);
    run_must_save(&run, 50);
    for (s.time = 0; s.time <= history->time; s.time++)
        crash_states_at(history, s.time, look_at_siblings, &s, &s.count);
    run_end(&run);
    recorder_end();
    memory_free(disk);
    proof_count("manager.crashes", (uint64_t)s.count.states);
}
