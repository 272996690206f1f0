/* background.c - P5: Measures how long an asynchronous save blocks its caller,
 * compared with the fastest copy of the values; and a first snapshot, compared
 * with a first copy into new huge pages.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "model.h"
#include "raw.h"
#include "rows.h"

struct saving {
    varve_graph *graph;
    char path[4200];
    bool zero_copy;
};

/* Measures the call only. Waits for the write to disk, so that it does not
 * affect the next run. */
static double save(void *user)
{
    const struct saving *s = user;
    varve_error error = { 0 };
    varve_write_options options = { .async.zero_copy = s->zero_copy,
        .no_sync = true };
    double begin = now();
    varve_job *job = varve_write_async(
        varve_graph_root(s->graph), s->path, &options, &error);
    double end = now();
    must(error.status, &error);
    must(varve_job_wait(job, &error), &error);
    varve_job_free(job);
    return end - begin;
}

static double first_snapshot(void *user)
{
    const struct saving *s = user;
    varve_error error = { 0 };
    double begin = now();
    varve_snapshot *snapshot =
        varve_snapshot_new(varve_graph_root(s->graph), &error);
    double end = now();
    must(error.status, &error);
    varve_snapshot_free(snapshot);
    return end - begin;
}

static double fresh_copy(void *user)
{
    struct raw raw = *(const struct raw *)user;
    double begin = now();
    raw.other = mmap(NULL, raw.size, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw.other == MAP_FAILED)
        abort();
    madvise(raw.other, raw.size, MADV_HUGEPAGE);
    raw_copy_all(&raw);
    double end = now();
    munmap(raw.other, raw.size);
    return end - begin;
}

void bench_background(const struct wishes *wishes)
{
    if (!is_wanted(wishes, "P5"))
        return;
    struct raw raw = { .size = wishes->size };
    raw.bytes = touched_memory(raw.size);
    raw.other = touched_memory(raw.size);
    struct saving now_copied = {
        .graph = model_of_variables(raw.bytes, raw.size, 100),
    };
    snprintf(now_copied.path, sizeof now_copied.path, "%s/background.varve",
        wishes->directory);
    struct saving zero_copy = now_copied;
    zero_copy.zero_copy = true;
    save(&now_copied); /* allocates the memory for copies */
    struct contender c[] = {
        { .name = "varve_write_async", .run = save, .user = &now_copied },
        { .name = "the same, zero_copy", .run = save, .user = &zero_copy },
        { .name = "first snapshot", .run = first_snapshot, .user = &zero_copy },
        { .name = "copy, all cores", .run = raw_copy_all, .user = &raw },
        { .name = "copy to fresh memory", .run = fresh_copy, .user = &raw },
    };
    race(c, 5, wishes->rounds);
    static const char *const what[] = { "asynchronous save blocks the caller",
        "the same, zero copy", "first snapshot" };
    for (size_t i = 0; i < 3; i++)
        report(&(struct row){ .id = "P5",
            .what = what[i],
            .ours = &c[i],
            .raw = &c[i < 2 ? 3 : 4],
            .least_ratio = 0.9 });
    remove(now_copied.path);
    varve_graph_free(now_copied.graph);
    free(raw.bytes);
    free(raw.other);
}
