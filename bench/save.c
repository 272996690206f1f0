/* save.c - P1: Measures a durable save of 100 large variables compared with the
 * fastest plain durable write of the same bytes.
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

/* P1n: without waiting for the disk. */
static void race_without_sync(
    const struct wishes *wishes, struct job job, struct raw raw)
{
    raw.no_sync = job.save.no_sync = true;
    struct contender contenders[] = {
        { .name = "varve_write, no_sync", .run = run_save, .user = &job },
        { .name = "write", .run = raw_write, .user = &raw },
    };
    race(contenders, 2, wishes->rounds);
    report(&(struct row){ .id = "P1n",
        .what = "save without a sync, 100 variables",
        .ours = &contenders[0],
        .raw = &contenders[1] });
}

void bench_save(const struct wishes *wishes)
{
    char path[PATH_SIZE], raw_path[PATH_SIZE], peer_path[PATH_SIZE];
    if (!is_wanted(wishes, "P1"))
        return;
    struct raw raw = {
        .path = scratch(wishes, "raw", raw_path),
        .bytes = touched_memory(wishes->size),
        .size = wishes->size,
    };
    struct job job = {
        .graph = model_of_variables(raw.bytes, raw.size, 100),
        .path = scratch(wishes, "save.varve", path),
    };
    struct hdf5 hdf5 = { .path = scratch(wishes, "save.h5", peer_path),
        .bytes = raw.bytes,
        .size = raw.size,
        .count = 100 };
    struct contender contenders[] = {
        { .name = "varve_write", .run = run_save, .user = &job },
        { .name = "write, fsync", .run = raw_write, .user = &raw },
        { .name = "early write-back", .run = raw_write_back, .user = &raw },
        { .name = "O_DIRECT, 4 at once",
            .run = raw_write_direct,
            .user = &raw },
        { .name = "HDF5, fsync", .run = hdf5_save, .user = &hdf5 },
    };
    race(contenders, hdf5_is_there() ? 5 : 4, wishes->rounds);
    report(&(struct row){ .id = "P1",
        .what = "durable save, 100 variables",
        .ours = &contenders[0],
        .raw = quickest(&contenders[1], 3),
        .least_ratio = 0.95 });
    for (size_t i = 1; i < 4; i++)
        report(&(struct row){ .id = "P1r",
            .what = contenders[i].name,
            .ours = &contenders[0],
            .raw = &contenders[i] });
    if (hdf5_is_there())
        report(&(struct row){ .id = "P1h",
            .what = "durable save, and HDF5",
            .ours = &contenders[0],
            .raw = &contenders[4] });
    race_without_sync(wishes, job, raw);
    varve_graph_free(job.graph);
    free(raw.bytes);
    unlink(path);
    unlink(peer_path);
}
