/* cold.c - P12: Measures a restore of an uncached file, compared with plain
 * reads of the same bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#include "model.h"
#include "raw.h"
#include "rows.h"

enum { STEP = 1 << 20, PAGE = 4096, MOST_READERS = 8 };

/* --- Plain readers -------------------------------------------------------- */

struct readers {
    const struct raw *raw;
    unsigned count;
    int flags;
    int file;
    atomic_size_t next;
};

static void *read_steps(void *argument)
{
    struct readers *readers = argument;
    const struct raw *raw = readers->raw;
    size_t at;
    while ((at = atomic_fetch_add(&readers->next, STEP)) < raw->size) {
        size_t end = raw->size - at < STEP ? raw->size : at + STEP;
        while (at < end) {
            /* Round up to whole pages for the end of the file. */
            size_t size = (end - at + PAGE - 1) / PAGE * PAGE;
            ssize_t moved =
                pread(readers->file, raw->other + at, size, (off_t)at);
            must_system(moved > 0, "read");
            at += (size_t)moved;
        }
    }
    return NULL;
}

static double run_readers(void *user)
{
    struct readers *readers = user;
    pthread_t threads[MOST_READERS];
    forget_file(readers->raw->path);
    readers->next = 0;
    double begin = now();
    readers->file = open(readers->raw->path, O_RDONLY | readers->flags);
    if (readers->file < 0) /* a file system without O_DIRECT */
        readers->file = open(readers->raw->path, O_RDONLY);
    must_system(readers->file >= 0, readers->raw->path);
    for (unsigned i = 1; i < readers->count; i++)
        must_system(pthread_create(&threads[i], NULL, read_steps, readers) == 0,
            "a thread");
    read_steps(readers);
    for (unsigned i = 1; i < readers->count; i++)
        pthread_join(threads[i], NULL);
    double time = now() - begin;
    close(readers->file);
    return time;
}

/* --- Varve ---------------------------------------------------------------- */

static double run_cold(void *user)
{
    const struct job *job = user;
    forget_file(job->path);
    return run_restore(user);
}

static void report_cold(struct job *job, struct raw *raw, unsigned rounds)
{
    struct job once = *job, undone = *job;
    once.restore.passes = VARVE_ONE_PASS;
    undone.restore.resources.staging_size = job->size;
    struct readers readers[] = {
        { .raw = raw, .count = 1 },
        { .raw = raw, .count = 2 },
        { .raw = raw, .count = 4, .flags = O_DIRECT },
        { .raw = raw, .count = 8, .flags = O_DIRECT },
    };
    struct contender contenders[] = {
        { .name = "varve_read", .run = run_cold, .user = job },
        { .name = "varve_read, one pass", .run = run_cold, .user = &once },
        { .name = "varve_read, undo", .run = run_cold, .user = &undone },
        { .name = "read", .run = run_readers, .user = &readers[0] },
        { .name = "read, 2 at once", .run = run_readers, .user = &readers[1] },
        { .name = "O_DIRECT, 4 at once",
            .run = run_readers,
            .user = &readers[2] },
        { .name = "O_DIRECT, 8 at once",
            .run = run_readers,
            .user = &readers[3] },
    };
    static const char *what[] = { "cold restore, verified first, then copied",
        "the same, in one verified pass",
        "the same, with undo for any failure (staging_size)" };
    race(contenders, 7, rounds);
    for (size_t i = 0; i < 3; i++)
        report(&(struct row){ .id = "P12",
            .what = what[i],
            .ours = &contenders[i],
            .raw = quickest(&contenders[3], 4),
            .least_ratio = 0.95 });
}

void bench_cold(const struct wishes *wishes)
{
    char path[PATH_SIZE];
    if (!is_wanted(wishes, "P12"))
        return;
    struct raw raw = {
        .bytes = touched_memory(wishes->size),
        .size = wishes->size,
    };
    struct job job = {
        .graph = model_of_variables(raw.bytes, raw.size, 100),
        .path = scratch(wishes, "cold.varve", path),
        .size = raw.size,
    };
    run_save(&job);
    raw.path = job.path;
    raw.other = raw.bytes;
    report_cold(&job, &raw, wishes->rounds);
    varve_graph_free(job.graph);
    free(raw.bytes);
    unlink(path);
}
