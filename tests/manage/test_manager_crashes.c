/* test_manager_crashes.c - Tests a process crash or power failure at each
 * system call of a manager: the run resumes from the newest durable checkpoint,
 * and the next save removes leftover files.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "manage/run.h"
#include "support/proof.h"

struct crash {
    struct memory *disk;
    const varve_manager_options *options;
    const char *name;
    long number; /* number of the call before which the crash happens */
    int least;   /* oldest step from which the next process may resume */
    long count;
    bool were_found[2]; /* resumed from the older, the newer step */
};

/* Resumes from the disk after each kind of crash; in the first only the process
 * has ended. */
static void look(void *user)
{
    struct crash *c = user;
    for (int way = 0; way < 4; way++) {
        char where[128];
        struct memory *left =
            memory_after_power_cut(c->disk, !(way & 1), !(way & 2));
        snprintf(where, sizeof where, "%s, before call %ld%s%s", c->name,
            c->number, way & 1 ? ", names lost" : "",
            way & 2 ? ", content lost" : "");
        int found = run_survives(left, c->options, where);
        cr_assert(found == c->least || (found == 40 && c->least < 40),
            "%s: found step %d", where, found);
        c->were_found[found == 40] = true;
        c->count++;
        memory_free(left);
    }
}

static varve_status save(struct run *run, varve_error *error)
{
    return run_save(run, 40, error);
}

static varve_status prune(struct run *run, varve_error *error)
{
    return varve_manager_prune(run->manager, error);
}

static varve_status pin(struct run *run, varve_error *error)
{
    varve_status status = varve_manager_pin(run->manager, 3, error);
    return status ? status : varve_manager_unpin(run->manager, 3, error);
}

struct scenario {
    const char *name;
    varve_manager_options options;
    bool is_empty;
    bool saves;
    varve_status (*act)(struct run *run, varve_error *error);
};

static const struct scenario scenarios[] = {
    { "save", { .keep_last = 2 }, false, true, save },
    { "save that deletes two", { .keep_last = 1 }, false, true, save },
    { "save by step", { .keep_last = 2, .number_by_step = true }, false, true,
        save },
    { "first save", { .keep_last = 2 }, true, true, save },
    { "prune", { .keep_last = 1 }, false, false, prune },
    { "pin", { .keep_last = 2 }, false, false, pin },
};

/* Runs the scenario with a crash before call `c->number`. Returns false if it
 * makes fewer calls. */
static bool crash_once(struct crash *c, const struct scenario *s,
    struct memory *before)
{
    varve_error error = { 0 };
    struct run run;
    c->disk = run_copy(before);
    struct faulty *faulty = faulty_new(memory_system(c->disk));
    run_begin(&run, faulty_system(faulty), &s->options);
    faulty_plan(faulty, &(struct faulty_plan){ .number = c->number,
        .way = FAULTY_STOPS, .stop = look, .user = c });
    cr_assert_ok(s->act(&run, &error), error);
    bool hit = faulty_hit(faulty);
    faulty_plan(faulty, NULL);
    if (!hit) { /* nothing may be lost after the return */
        if (s->saves)
            c->least = 40;
        look(c);
    }
    run_end(&run);
    faulty_free(faulty);
    memory_free(c->disk);
    return hit;
}

TEST(manager_crashes, a_crash_at_any_call_leaves_a_resumable_directory)
{
    static const varve_manager_options by_step = {
        .keep_last = 2, .number_by_step = true
    };
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const struct scenario *s = &scenarios[i];
        struct memory *before =
            s->is_empty ? memory_new() : run_history(&run_options);
        struct crash c = { .name = s->name,
            .options = s->options.number_by_step ? &by_step : &run_options,
            .least = s->is_empty ? 0 : 30 };
        while (crash_once(&c, s, before))
            c.number++;
        cr_assert(!s->saves || (c.were_found[0] && c.were_found[1]),
            "%s: it never stopped in between", s->name);
        proof_count("manager.crashes", (uint64_t)c.count);
        memory_free(before);
    }
}
