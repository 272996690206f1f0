/* small.c - P7: Measures many variables of 4 KiB compared with one write of the
 * same bytes, and with HDF5 if installed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "model.h"
#include "peer_hdf5.h"
#include "raw.h"
#include "rows.h"

enum { SMALL_SIZE = 4096 };

static double size_of(const char *path)
{
    struct stat found;
    must_system(stat(path, &found) == 0, path);
    return (double)found.st_size;
}

static void compare_hdf5(const struct wishes *wishes, struct job *quick,
    struct job *durable, double scale)
{
    char path[PATH_SIZE];
    struct hdf5 hdf5 = { .path = scratch(wishes, "small.h5", path),
        .bytes = touched_memory(wishes->small_count * SMALL_SIZE),
        .size = wishes->small_count * SMALL_SIZE,
        .count = wishes->small_count };
    struct hdf5 no_sync = hdf5;
    no_sync.no_sync = true;
    struct contender c[] = {
        { .name = "varve_write, no_sync", .run = run_save, .user = quick },
        { .name = "HDF5", .run = hdf5_save, .user = &no_sync },
        { .name = "varve_write", .run = run_save, .user = durable },
        { .name = "HDF5, fsync", .run = hdf5_save, .user = &hdf5 },
        { .name = "varve_read", .run = run_restore, .user = durable },
        { .name = "HDF5", .run = hdf5_restore, .user = &hdf5 },
    };
    static const char *const what[] = { "save without fsync, and HDF5",
        "durable save, and HDF5", "restore, and HDF5" };
    race(c, 6, wishes->rounds);
    for (size_t i = 0; i < 3; i++)
        report(&(struct row){ .id = "P7h",
            .what = what[i],
            .ours = &c[2 * i],
            .raw = &c[2 * i + 1],
            .unit = "us",
            .scale = scale });
    free(hdf5.bytes);
    unlink(path);
}

/* Returns the time of the library beyond the write of the bytes, for each
 * round. */
static struct contender beyond(
    const struct contender *ours, const struct contender *raw)
{
    struct contender difference = { .name = "beyond", .count = ours->count };
    for (unsigned i = 0; i < ours->count; i++)
        difference.samples[i] = ours->samples[i] - raw->samples[i];
    return difference;
}

static void report_times(
    const struct wishes *wishes, const struct contender *c, double scale)
{
    struct contender more = beyond(&c[0], &c[3]);
    struct row rows[] = {
        { .id = "P7",
            .what = "save without fsync, each",
            .ours = &c[0],
            .raw = &c[3] },
        { .id = "P7",
            .what = "of that in addition to one write, each",
            .ours = &more,
            .most = 1 },
        { .id = "P7",
            .what = "durable save, each",
            .ours = &c[1],
            .raw = &c[4] },
        { .id = "P7", .what = "restore, each", .ours = &c[2], .raw = &c[5] },
    };
    (void)wishes;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].unit = "us";
        rows[i].scale = scale;
        report(&rows[i]);
    }
}

/* 10,000 of them: few enough to be buffered by default. */
static void report_restore(
    const struct wishes *wishes, const struct raw *all, const char *path)
{
    size_t count = wishes->small_count / 2;
    struct raw raw = *all;
    raw.size = count * SMALL_SIZE;
    struct job job = {
        .graph = model_of_variables(raw.bytes, raw.size, count),
        .path = path,
        .save = { .no_sync = true },
    };
    struct job once = job;
    once.restore.passes = VARVE_ONE_PASS;
    struct contender c[] = {
        { .name = "varve_read", .run = run_restore, .user = &job },
        { .name = "varve_read, one pass", .run = run_restore, .user = &once },
        { .name = "memcpy", .run = raw_copy, .user = &raw },
    };
    run_save(&job);
    race(c, 3, wishes->rounds);
    report(&(struct row){ .id = "P7u",
        .what = "restore of half as many, with undo for any failure",
        .ours = &c[0],
        .raw = &c[2],
        .least_ratio = 0.5 });
    report(&(struct row){ .id = "P7u",
        .what = "the same, in one pass",
        .ours = &c[1],
        .raw = &c[2] });
    varve_graph_free(job.graph);
}

static void report_size(const char *path, double payload)
{
    struct contender size = { .name = "size",
        .count = 1,
        .samples = { (size_of(path) - payload) / payload } };
    report(&(struct row){ .id = "P7",
        .what = "file size in addition to the values",
        .ours = &size,
        .unit = "%",
        .scale = 100,
        .most = 5 });
}

void bench_small(const struct wishes *wishes)
{
    char path[PATH_SIZE], raw_path[PATH_SIZE];
    size_t count = wishes->small_count;
    if (!is_wanted(wishes, "P7"))
        return;
    struct raw raw = {
        .path = scratch(wishes, "raw", raw_path),
        .bytes = touched_memory(count * SMALL_SIZE),
        .other = touched_memory(count * SMALL_SIZE),
        .size = count * SMALL_SIZE,
        .no_sync = true,
    };
    struct raw durable = raw;
    durable.no_sync = false;
    struct job job = {
        .graph = model_of_variables(raw.bytes, raw.size, count),
        .path = scratch(wishes, "small.varve", path),
        .save = { .no_sync = true },
    };
    struct job durable_job = job;
    durable_job.save.no_sync = false;
    struct contender contenders[] = {
        { .name = "varve_write, no_sync", .run = run_save, .user = &job },
        { .name = "varve_write", .run = run_save, .user = &durable_job },
        { .name = "varve_read", .run = run_restore, .user = &job },
        { .name = "one write", .run = raw_write, .user = &raw },
        { .name = "one write, fsync", .run = raw_write, .user = &durable },
        { .name = "memcpy", .run = raw_copy, .user = &raw },
    };
    race(contenders, 6, wishes->rounds);
    report_times(wishes, contenders, 1e6 / (double)count);
    report_size(path, (double)raw.size);
    report_restore(wishes, &raw, path);
    if (hdf5_is_there())
        compare_hdf5(wishes, &job, &durable_job, 1e6 / (double)count);
    varve_graph_free(job.graph);
    free(raw.bytes);
    free(raw.other);
    unlink(path);
}
