/* 09_background.c - Saves after every step of a training loop, asynchronously
 * and incrementally.
 *
 *     09_background [DIRECTORY [STEPS]]
 *
 * Introduces varve_save_async with `zero_copy`: the save copies the values
 * while the next step only reads them, and varve_job_wait_staged waits for the
 * copy before the step changes them. With `incremental` each checkpoint is
 * complete, but only changes since the previous one are written: here one row
 * of a table, which varve_mark_rows_dirty marks. Old checkpoints are deleted
 * like any file, and varve_prune_data_files then deletes data files that no
 * checkpoint refers to.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <varve/varve.h>

#include "support/operands.h"

enum { ROWS = 4096, WIDTH = 64, KEPT = 3 };

struct training {
    varve_graph *graph;
    const char *directory;
    char prefix[4000];
    float table[ROWS][WIDTH]; /* each step changes one row */
    int64_t step;
};

/* The result of a step: the change of one row. */
struct update {
    size_t row;
    float change[WIDTH];
};

/* The forward and backward passes, which only read the values. The target of
 * each row is 1. */
static struct update look(const struct training *t)
{
    struct update update = { .row = (size_t)t->step % 8 * 512 };
    for (size_t i = 0; i < WIDTH; i++)
        update.change[i] = (1 - t->table[update.row][i]) / 2;
    return update;
}

/* [apply] */
/* The optimizer changes one row and marks it dirty. */
static varve_status apply(
    struct training *t, const struct update *update, varve_error *error)
{
    varve_node *table = varve_find(varve_graph_root(t->graph), "table");
    for (size_t i = 0; i < WIDTH; i++)
        t->table[update->row][i] += update->change[i];
    t->step++;
    return varve_mark_rows_dirty(table, update->row, 1, error);
}
/* [/apply] */

/* [job] */
/* Waits until a save is on disk, and returns its error. */
static varve_status finish(varve_job **job, varve_error *error)
{
    varve_status status = *job ? varve_job_wait(*job, error) : VARVE_OK;
    varve_job_free(*job);
    *job = NULL;
    return status;
}

static varve_status train(struct training *t, int64_t steps, varve_error *error)
{
    const varve_write_options options = { .async.zero_copy = true,
        .incremental = true,
        .increment.only_dirty = true };
    varve_node *root = varve_graph_root(t->graph);
    varve_job *job = NULL;
    varve_status status = VARVE_OK;
    while (!status && t->step < steps) {
        struct update update = look(t); /* while the save copies the values */
        if (job)
            status = varve_job_wait_staged(job, error); /* wait for staging */
        if (status)
            break;
        status = apply(t, &update, error); /* while the save writes the file */
        if (!status)
            status = finish(&job, error);
        if (!status)
            job = varve_save_async(root, t->prefix, &options, error);
        if (!status && !job)
            status = error->status;
    }
    varve_status last = finish(&job, status ? NULL : error);
    return status ? status : last;
}
/* [/job] */

/* [forget] */
/* Any checkpoint may be deleted at any time. The others remain complete. */
static varve_status forget_old(struct training *t, varve_error *error)
{
    char path[4096];
    uint64_t newest = varve_save_counter(varve_graph_root(t->graph));
    for (uint64_t i = 1; i + KEPT <= newest; i++) {
        snprintf(path, sizeof path, "%s-%" PRIu64 ".varve", t->prefix, i);
        remove(path);
    }
    return varve_prune_data_files(t->directory, error);
}
/* [/forget] */

/* If there is no checkpoint, the training starts from the beginning. */
static varve_status resume(struct training *t, varve_error *error)
{
    varve_node *root = varve_graph_root(t->graph);
    varve_add_variable(
        root, "table", varve_array(&t->table[0][0], ROWS, WIDTH));
    varve_add_variable(root, "step", varve_scalar(&t->step));
    varve_restoration *found = varve_restore(root, t->prefix, NULL, error);
    if (!found && error->status != VARVE_NOT_FOUND)
        return error->status;
    varve_restoration_free(found);
    printf("at step %" PRId64 "\n", t->step);
    return VARVE_OK;
}

static varve_status run(struct training *t, int64_t steps, varve_error *error)
{
    varve_status status = resume(t, error);
    if (!status)
        status = train(t, steps, error);
    if (!status)
        status = forget_old(t, error);
    if (!status)
        printf("step %" PRId64 ": rows 0 and 512 are at %g and %g\n", t->step,
            (double)t->table[0][0], (double)t->table[512][0]);
    return status;
}

int main(int argc, char **argv)
{
    if (!operands_fit(argc, argv, 2, "[DIRECTORY [STEPS]]"))
        return 2;
    static struct training training; /* too large for some stacks */
    struct training *t = &training;
    t->directory = argc > 1 ? argv[1] : "run/09_background";
    snprintf(t->prefix, sizeof t->prefix, "%s/ckpt", t->directory);
    t->graph = varve_graph_new(NULL);
    varve_error error = { .status = VARVE_OK };
    varve_status status = run(t, argc > 2 ? atoi(argv[2]) : 20, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_graph_free(t->graph);
    return status ? 1 : 0;
}
