/* snapshot.c - P9: snapshots against a copy past the caches on as many threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "model.h"
#include "raw.h"
#include "rows.h"

static double retake(void *user)
{
    varve_error error;
    double begin = now();
    must(varve_snapshot_retake(user, &error), &error);
    return now() - begin;
}

static double restore(void *user)
{
    varve_error error;
    double begin = now();
    must(varve_snapshot_restore(user, &error), &error);
    return now() - begin;
}

void bench_snapshot(const struct wishes *wishes)
{
    if (!is_wanted(wishes, "P9"))
        return;
    struct raw raw = { .size = wishes->size };
    raw.bytes = touched_memory(raw.size);
    raw.other = touched_memory(raw.size);
    varve_graph *graph = model_of_variables(raw.bytes, raw.size, 100);
    varve_error error = { 0 };
    varve_snapshot *s = varve_snapshot_new(varve_graph_root(graph), &error);
    must(error.status, &error);
    struct contender c[] = {
        { .name = "varve_snapshot_retake", .run = retake, .user = s },
        { .name = "varve_snapshot_restore", .run = restore, .user = s },
        { .name = "copy, all cores", .run = raw_copy_all, .user = &raw },
        { .name = "memcpy, one thread", .run = raw_copy, .user = &raw },
    };
    race(c, 4, wishes->rounds);
    for (size_t i = 0; i < 2; i++)
        report(&(struct row){ .id = "P9",
            .what = i ? "snapshot restore" : "snapshot retake",
            .ours = &c[i],
            .raw = &c[2],
            .least_ratio = 0.9 });
    report(&(struct row){ .id = "P9",
        .what = "snapshot retake, and memcpy",
        .ours = &c[0],
        .raw = &c[3] });
    varve_snapshot_free(s);
    varve_graph_free(graph);
    free(raw.bytes);
    free(raw.other);
}
