/* nodes.c - P8: Measures a graph of a million scalars.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#include "model.h"
#include "rows.h"

struct nodes {
    size_t count;
    float *values;
};

/* A file that is read before the program is built. */
struct arrivals {
    const char *path;
    size_t count;
    varve_read_options options;
};

static double run_build(void *user)
{
    const struct nodes *nodes = user;
    double begin = now();
    varve_graph *graph = model_of_scalars(nodes->count, nodes->values);
    double time = now() - begin;
    varve_graph_free(graph);
    return time;
}

/* Reads first and then builds: every value is restored when its variable is
 * added. */
static double run_arrivals(void *user)
{
    const struct arrivals *arrivals = user;
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    double begin = now();
    varve_restoration *restoration = varve_read(
        varve_graph_root(graph), arrivals->path, &arrivals->options, &error);
    must(restoration ? VARVE_OK : error.status, &error);
    add_scalars(graph, arrivals->count, NULL);
    must(varve_assert_consumed(restoration, &error), &error);
    varve_restoration_free(restoration);
    double time = now() - begin;
    varve_graph_free(graph);
    return time;
}

static struct contender sum_of(const struct contender *contenders, size_t count)
{
    struct contender sum = { .name = "sum", .count = contenders->count };
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < sum.count; k++)
            sum.samples[k] += contenders[i].samples[k];
    }
    return sum;
}

static void report_nodes(const struct contender *c, double most_ms)
{
    struct contender sum = sum_of(c, 3);
    struct row rows[] = {
        { .what = "a million scalars: save, durable", .ours = &c[0] },
        { .what = "a million scalars: open", .ours = &c[1], .most = 20 },
        { .what = "a million scalars: match and restore",
            .ours = &c[2],
            .most = 400 },
        { .what = "these together", .ours = &sum, .most = most_ms },
        { .what = "a million scalars: match only", .ours = &c[3] },
        { .what = "a million scalars: build", .ours = &c[4] },
        { .what = "a million scalars: read, then build", .ours = &c[5] },
        { .what = "the same, mapped",
            .ours = &c[6],
            .raw = &c[5],
            .least_ratio = 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].id = "P8";
        report(&rows[i]);
    }
}

void bench_nodes(const struct wishes *wishes)
{
    char path[PATH_SIZE];
    if (!is_wanted(wishes, "P8"))
        return;
    struct nodes nodes = { wishes->nodes,
        calloc(wishes->nodes, sizeof(float)) };
    must_system(nodes.values != NULL, "memory");
    struct job job = {
        .graph = model_of_scalars(nodes.count, nodes.values),
        .path = scratch(wishes, "nodes.varve", path),
    };
    struct arrivals read = { path, nodes.count, { 0 } };
    struct arrivals mapped = { path, nodes.count, { .map = true } };
    struct contender contenders[] = {
        { .name = "varve_write", .run = run_save, .user = &job },
        { .name = "varve_reader_open", .run = run_open, .user = &job },
        { .name = "varve_read", .run = run_restore, .user = &job },
        { .name = "varve_dry_run", .run = run_plan, .user = &job },
        { .name = "varve_add_...", .run = run_build, .user = &nodes },
        { .name = "varve_read first", .run = run_arrivals, .user = &read },
        { .name = "map", .run = run_arrivals, .user = &mapped },
    };
    race(contenders, sizeof contenders / sizeof *contenders, wishes->rounds);
    report_nodes(contenders, 1000);
    varve_graph_free(job.graph);
    free(nodes.values);
    unlink(path);
}
