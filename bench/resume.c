/* resume.c - P16: Measures a manager that resumes, which reads and verifies
 * every byte of the newest checkpoint, compared with a restore in one pass.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#include "model.h"
#include "raw.h"
#include "rows.h"

struct resume {
    struct job job; /* with the path of the newest */
    const char *directory;
    bool is_cold;
};

static void prepare(const struct resume *r)
{
    if (r->is_cold)
        forget_file(r->job.path);
}

static double run_resume(void *user)
{
    const struct resume *r = user;
    varve_error error = { 0 };
    prepare(r);
    double begin = now();
    varve_manager *manager = varve_manager_new(
        varve_graph_root(r->job.graph), r->directory, NULL, &error);
    must(manager ? VARVE_OK : error.status, &error);
    must(varve_manager_resume(manager, &error), &error);
    varve_manager_free(manager);
    return now() - begin;
}

static double run_once(void *user)
{
    struct resume *r = user;
    prepare(r);
    return run_restore(&r->job);
}

static void save_three(const struct resume *r)
{
    varve_error error = { 0 };
    varve_manager *manager =
        varve_manager_new(varve_graph_root(r->job.graph), r->directory,
            &(varve_manager_options){
                .keep_last = 3, .run = "bench", .may_start_new_run = true },
            &error);
    must(manager ? VARVE_OK : error.status, &error);
    for (int step = 1; step <= 3; step++)
        must(varve_manager_save(manager, step, &error), &error);
    varve_manager_free(manager);
}

static void race_resume(struct resume *r, struct raw *raw, unsigned rounds)
{
    struct contender contenders[] = {
        { .name = "varve_manager_resume", .run = run_resume, .user = r },
        { .name = "varve_read, one pass", .run = run_once, .user = r },
        { .name = "memcpy, one thread", .run = raw_copy, .user = raw },
    };
    race(contenders, r->is_cold ? 2 : 3, rounds);
    report(&(struct row){ .id = "P16",
        .what = r->is_cold ? "cold resume of a manager" : "resume of a manager",
        .ours = &contenders[0],
        .raw = &contenders[1],
        .least_ratio = 1 / 1.15 });
    if (!r->is_cold)
        report(&(struct row){ .id = "P16m",
            .what = "the same, and a copy",
            .ours = &contenders[0],
            .raw = &contenders[2] });
}

static void remove_all(const struct resume *r)
{
    static const char *const names[] = { "ckpt-1.varve", "ckpt-2.varve",
        "ckpt-3.varve", "ckpt.ledger", ".ckpt.lock" };
    char path[PATH_SIZE + 32];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", r->directory, names[i]);
        unlink(path);
    }
    rmdir(r->directory);
}

void bench_resume(const struct wishes *wishes)
{
    char directory[PATH_SIZE], path[PATH_SIZE + 32];
    if (!is_wanted(wishes, "P16"))
        return;
    struct raw raw = {
        .bytes = touched_memory(wishes->size),
        .other = touched_memory(wishes->size),
        .size = wishes->size,
    };
    struct resume resume = {
        .job = { .graph = model_of_variables(raw.other, raw.size, 100),
            .path = path,
            .restore = { .passes = VARVE_ONE_PASS } },
        .directory = scratch(wishes, "resume", directory),
    };
    snprintf(path, sizeof path, "%s/ckpt-3.varve", directory);
    save_three(&resume);
    race_resume(&resume, &raw, wishes->rounds);
    resume.is_cold = true;
    race_resume(&resume, &raw, wishes->rounds);
    remove_all(&resume);
    varve_graph_free(resume.job.graph);
    free(raw.bytes);
    free(raw.other);
}
