/* nodes.c - P8: a graph of a million nodes.
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

static double run_build(void *user)
{
    const struct nodes *nodes = user;
    double begin = now();
    varve_graph *graph = model_of_nodes(nodes->count, nodes->values);
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
        { .what = "a million nodes: save, durable", .ours = &c[0] },
        { .what = "a million nodes: open", .ours = &c[1], .most = 20 },
        { .what = "a million nodes: match and restore", .ours = &c[2] },
        { .what = "these together", .ours = &sum, .most = most_ms },
        { .what = "a million nodes: match alone", .ours = &c[3] },
        { .what = "a million nodes: build", .ours = &c[4] },
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
        calloc(wishes->nodes / 2 + 1, sizeof(float)) };
    must_system(nodes.values != NULL, "memory");
    struct job job = {
        .graph = model_of_nodes(nodes.count, nodes.values),
        .path = scratch(wishes, "nodes.varve", path),
    };
    struct contender contenders[] = {
        { .name = "varve_write", .run = run_save, .user = &job },
        { .name = "varve_reader_open", .run = run_open, .user = &job },
        { .name = "varve_read", .run = run_restore, .user = &job },
        { .name = "varve_plan", .run = run_plan, .user = &job },
        { .name = "varve_add_...", .run = run_build, .user = &nodes },
    };
    race(contenders, 5, wishes->rounds);
    report_nodes(contenders, 1000);
    varve_graph_free(job.graph);
    free(nodes.values);
    unlink(path);
}
