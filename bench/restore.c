/* restore.c - P3: Measures a warm restore into the caller's memory compared
 * with memcpy: the first of a program, which reads once, and a later one. P4:
 * library-owned variables mapped from a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#include "model.h"
#include "peer_hdf5.h"
#include "raw.h"
#include "rows.h"

/* Restores into a program that was just built, with the same memory. */
static double run_first(void *user)
{
    const struct job *job = user;
    varve_error error = { 0 };
    varve_graph *graph = model_of_variables(job->memory, job->size, 100);
    double begin = now();
    varve_restoration *restoration =
        varve_read(varve_graph_root(graph), job->path, &job->restore, &error);
    double time = now() - begin;
    must(restoration ? VARVE_OK : error.status, &error);
    varve_restoration_free(restoration);
    varve_graph_free(graph);
    return time;
}

static void restore_into_memory(
    struct job *job, struct raw *raw, struct hdf5 *hdf5, unsigned rounds)
{
    struct job once = *job;
    once.restore.passes = VARVE_ONE_PASS;
    struct contender contenders[] = {
        { .name = "varve_read, first", .run = run_first, .user = job },
        { .name = "varve_read, one pass", .run = run_restore, .user = &once },
        { .name = "memcpy, one thread", .run = raw_copy, .user = raw },
        { .name = "varve_read, later", .run = run_restore, .user = job },
        { .name = "HDF5", .run = hdf5_restore, .user = hdf5 },
    };
    if (hdf5_is_there())
        hdf5_save(hdf5);
    race(contenders, hdf5_is_there() ? 5 : 4, rounds);
    report(&(struct row){ .id = "P3",
        .what = "warm restore, the first: one verified pass",
        .ours = &contenders[0],
        .raw = &contenders[2],
        .least_ratio = 1 });
    report(&(struct row){ .id = "P3s",
        .what = "a later one, with one pass requested",
        .ours = &contenders[1],
        .raw = &contenders[2],
        .least_ratio = 1 });
    report(&(struct row){ .id = "P3v",
        .what = "a later one, verified first, then copied",
        .ours = &contenders[3],
        .raw = &contenders[2] });
    if (hdf5_is_there())
        report(&(struct row){ .id = "P3h",
            .what = "warm restore, and HDF5, which verifies nothing",
            .ours = &contenders[0],
            .raw = &contenders[4] });
    unlink(hdf5->path);
}

/* Reads first and then builds, so that mapped variables never have other
 * memory. */
static double run_late(void *user)
{
    const struct job *job = user;
    varve_graph *graph = varve_graph_new(NULL);
    varve_error error = { 0 };
    double begin = now();
    varve_restoration *restoration =
        varve_read(varve_graph_root(graph), job->path, &job->restore, &error);
    must(restoration ? VARVE_OK : error.status, &error);
    add_variables(graph, NULL, job->size, 100);
    must(varve_assert_consumed(restoration, &error), &error);
    varve_restoration_free(restoration);
    double time = now() - begin;
    varve_graph_free(graph);
    return time;
}

/* Measures restores that need as much new memory as the model has. */
static void restore_by_new_memory(
    const struct job *job, struct raw *raw, unsigned rounds)
{
    struct job undone = *job, late = *job;
    undone.restore.resources.staging_size = job->size;
    struct contender contenders[] = {
        { .name = "varve_read, undo", .run = run_restore, .user = &undone },
        { .name = "varve_read, new", .run = run_late, .user = &late },
        { .name = "memcpy to new memory", .run = raw_copy_new, .user = raw },
    };
    race(contenders, 3, rounds);
    report(&(struct row){ .id = "P3u",
        .what = "warm restore, with undo for any failure",
        .ours = &contenders[0],
        .raw = &contenders[2] });
    report(&(struct row){ .id = "P3n",
        .what = "warm restore to new library-owned memory",
        .ours = &contenders[1],
        .raw = &contenders[2] });
}

static void restore_mapped(
    struct job *job, const struct raw *raw, unsigned rounds)
{
    job->restore.map = true;
    struct raw file = { .path = job->path, .size = raw->size };
    struct contender contenders[] = {
        { .name = "varve_read, map", .run = run_late, .user = job },
        { .name = "open, mmap", .run = raw_map, .user = &file },
    };
    race(contenders, 2, rounds);
    report(&(struct row){ .id = "P4",
        .what = "library-owned variables, mapped",
        .ours = &contenders[0],
        .raw = &contenders[1],
        .most = 1 });
}

void bench_restore(const struct wishes *wishes)
{
    char path[PATH_SIZE], peer_path[PATH_SIZE];
    if (!is_wanted(wishes, "P3") && !is_wanted(wishes, "P4"))
        return;
    struct raw raw = {
        .bytes = touched_memory(wishes->size),
        .other = touched_memory(wishes->size),
        .size = wishes->size,
    };
    struct job job = {
        .graph = model_of_variables(raw.other, raw.size, 100),
        .memory = raw.other,
        .path = scratch(wishes, "restore.varve", path),
        .size = raw.size,
        .save = { .no_sync = true },
    };
    struct hdf5 hdf5 = {
        .path = scratch(wishes, "restore.h5", peer_path),
        .bytes = raw.other,
        .size = raw.size,
        .count = 100,
        .no_sync = true,
    };
    run_save(&job);
    if (is_wanted(wishes, "P3")) {
        restore_into_memory(&job, &raw, &hdf5, wishes->rounds);
        restore_by_new_memory(&job, &raw, wishes->rounds);
    }
    if (is_wanted(wishes, "P4"))
        restore_mapped(&job, &raw, wishes->rounds);
    varve_graph_free(job.graph);
    free(raw.bytes);
    free(raw.other);
    unlink(path);
}
