/* views.c - P14: Measures strided values and values with access functions,
 * compared with as many contiguous bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "raw.h"
#include "rows.h"

enum { VIEWS = 5, COLUMNS = 8, TIMES = 3 };

static const char *const names[VIEWS] = { "row-major", "x of x, y, z",
    "a column of 8", "interior with a halo of 1", "behind functions" };

static const char *const times[TIMES] = { "save without a sync", "warm restore",
    "warm restore, one pass" };

static varve_status copy_out(
    void *self, uint64_t offset, void *bytes, size_t size)
{
    memcpy(bytes, (unsigned char *)self + offset, size);
    return VARVE_OK;
}

static varve_status copy_in(
    void *self, uint64_t offset, const void *bytes, size_t size)
{
    memcpy((unsigned char *)self + offset, bytes, size);
    return VARVE_OK;
}

/* Builds a graph with a variable in a cube of side^3 doubles. */
static varve_graph *graph_of(size_t which, double *p, uint64_t side)
{
    const uint64_t count = side * side * side, row = side + 2;
    const size_t unit = sizeof *p;
    const varve_memory functions = {
        .copy_out = copy_out, .copy_in = copy_in, .self = p
    };
    const varve_tensor views[VIEWS] = {
        varve_array(p, count),
        varve_strided(p, VARVE_STRIDES((int64_t)(3 * unit)), count),
        varve_strided(p, VARVE_STRIDES((int64_t)(COLUMNS * unit)), count),
        varve_strided(p + (row + 1) * row + 1,
            VARVE_STRIDES((int64_t)(row * row * unit), (int64_t)(row * unit),
                (int64_t)unit),
            side, side, side),
        varve_far(&functions, VARVE_FLOAT64, VARVE_SHAPE(count)),
    };
    varve_graph *graph = varve_graph_new(NULL);
    varve_add_variable(varve_graph_root(graph), "value", views[which]);
    return graph;
}

/* The minimum work to copy the column: reading a word of each cache line. */
struct lines {
    const double *first;
    uint64_t count;
};

static double run_over_lines(void *user)
{
    const struct lines *lines = user;
    double begin = now();
    double sum = 0;
    for (uint64_t i = 0; i < lines->count; i++)
        sum += lines->first[i * COLUMNS];
    volatile double kept = sum;
    (void)kept;
    return now() - begin;
}

static void race_views(
    struct job *jobs, struct lines *lines, size_t when, unsigned rounds)
{
    struct contender contenders[VIEWS + 1];
    for (size_t i = 0; i < VIEWS; i++) {
        jobs[i].restore.passes =
            when == TIMES - 1 ? VARVE_ONE_PASS : VARVE_TWO_PASSES;
        contenders[i] = (struct contender){ .name = names[i],
            .run = when == 0 ? run_save : run_restore,
            .user = &jobs[i] };
    }
    contenders[VIEWS] = (struct contender){
        .name = "one word of each line", .run = run_over_lines, .user = lines
    };
    race(contenders, VIEWS + 1, rounds);
    for (size_t i = 1; i < VIEWS; i++) {
        char text[80];
        snprintf(text, sizeof text, "%s: %s", times[when], names[i]);
        report(&(struct row){ .id = "P14",
            .what = text,
            .ours = &contenders[i],
            .raw = &contenders[0] });
    }
    report(&(struct row){ .id = "P14",
        .what = "  reading a word of each cache line of that column",
        .ours = &contenders[VIEWS] });
}

void bench_views(const struct wishes *wishes)
{
    char paths[VIEWS][PATH_SIZE];
    struct job jobs[VIEWS];
    uint64_t side = 3;
    if (!is_wanted(wishes, "P14"))
        return;
    while ((side + 1) * (side + 1) * (side + 1) * COLUMNS * sizeof(double) <=
           wishes->size)
        side++;
    double *memory = (double *)(void *)touched_memory(wishes->size);
    for (size_t i = 0; i < VIEWS; i++) {
        char name[16];
        snprintf(name, sizeof name, "view-%zu", i);
        jobs[i] = (struct job){ .graph = graph_of(i, memory, side),
            .path = scratch(wishes, name, paths[i]),
            .save.no_sync = true };
    }
    struct lines lines = { memory, side * side * side };
    for (size_t when = 0; when < TIMES; when++)
        race_views(jobs, &lines, when, wishes->rounds);
    for (size_t i = 0; i < VIEWS; i++) {
        varve_graph_free(jobs[i].graph);
        unlink(jobs[i].path);
    }
    free(memory);
}
