/* levels.c - P18: Measures a manager that saves to a fast directory and copies
 * to a slow one, compared with a durable file and a durable, unverified copy.
 *
 * Both directories are on the same disk.
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#include "model.h"
#include "raw.h"
#include "rows.h"

enum { PIECE = 1 << 20 };

struct levels {
    varve_graph *graph;
    const unsigned char *bytes;
    size_t size;
    bool is_async;
    char fast[PATH_SIZE + 16];
    char slow[PATH_SIZE + 16];
    struct contender total; /* until the checkpoint is in both directories */
};

static void note(struct levels *l, double time)
{
    if (l->total.count < MOST_ROUNDS)
        l->total.samples[l->total.count++] = time;
}

static void remove_all(const char *directory, uint64_t number)
{
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/ckpt-%" PRIu64 ".varve", directory, number);
    unlink(path);
    snprintf(path, sizeof path, "%s/ckpt.ledger", directory);
    unlink(path);
    snprintf(path, sizeof path, "%s/.ckpt.lock", directory);
    unlink(path);
    must_system(rmdir(directory) == 0, directory);
}

static double save_at_both(void *user)
{
    struct levels *l = user;
    varve_error error = { 0 };
    const varve_level level = { .directory = l->slow };
    varve_manager *manager =
        varve_manager_new(varve_graph_root(l->graph), l->fast,
            &(varve_manager_options){ .levels = &level,
                .level_count = 1,
                .async = l->is_async,
                .run = "bench",
                .may_start_new_run = true },
            &error);
    must(manager ? VARVE_OK : error.status, &error);
    double begin = now();
    must(varve_manager_save(manager, 1, &error), &error);
    double pause = now() - begin;
    must(varve_manager_drain(manager, -1, &error), &error);
    note(l, now() - begin);
    varve_manager_free(manager);
    uint64_t number = varve_save_counter(varve_graph_root(l->graph));
    remove_all(l->fast, number);
    remove_all(l->slow, number);
    return pause;
}

/* --- The recipe ----------------------------------------------------------- */

static int create(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    must_system(file >= 0, path);
    return file;
}

static void put(int file, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t moved = write(file, bytes, size);
        must_system(moved > 0, "write");
        bytes += moved;
        size -= (size_t)moved;
    }
}

static void copy(const char *from, const char *to)
{
    static unsigned char piece[PIECE];
    int source = open(from, O_RDONLY), file = create(to);
    ssize_t size;
    must_system(source >= 0, from);
    while ((size = read(source, piece, sizeof piece)) > 0)
        put(file, piece, (size_t)size);
    must_system(size == 0, "read");
    close(source);
    close(file);
    sync_path(to);
}

static double write_then_copy(void *user)
{
    struct levels *l = user;
    double begin = now();
    int file = create(l->fast);
    put(file, l->bytes, l->size);
    close(file);
    sync_path(l->fast);
    double pause = now() - begin;
    copy(l->fast, l->slow);
    note(l, now() - begin);
    unlink(l->fast);
    unlink(l->slow);
    return pause;
}

/* --- Rows ----------------------------------------------------------------- */

/* Removes the totals of the warm-up round. */
static void forget_first(struct levels *l)
{
    for (unsigned i = 1; i < l->total.count; i++)
        l->total.samples[i - 1] = l->total.samples[i];
    l->total.count -= l->total.count > 0;
}

static void race_levels(
    struct levels *ours, struct levels *raw, unsigned rounds)
{
    struct contender contenders[] = {
        { .name = "varve_manager_save", .run = save_at_both, .user = ours },
        { .name = "durable write", .run = write_then_copy, .user = raw },
    };
    ours->total = (struct contender){ .name = "varve_manager_drain" };
    raw->total = (struct contender){ .name = "durable write and copy" };
    race(contenders, 2, rounds);
    forget_first(ours);
    forget_first(raw);
    report(&(struct row){ .id = "P18",
        .what = ours->is_async ? "the same, asynchronous: the call"
                               : "save on two tiers: until it is on the first",
        .ours = &contenders[0],
        .raw = &contenders[1] });
    report(&(struct row){ .id = "P18",
        .what = "  until it is on both",
        .ours = &ours->total,
        .raw = &raw->total });
}

void bench_levels(const struct wishes *wishes)
{
    if (!is_wanted(wishes, "P18"))
        return;
    unsigned char *bytes = touched_memory(wishes->size);
    struct levels ours = { .size = wishes->size,
        .graph = model_of_variables(bytes, wishes->size, 100) };
    struct levels raw = { .bytes = bytes, .size = wishes->size };
    scratch(wishes, "fast", ours.fast);
    scratch(wishes, "slow", ours.slow);
    scratch(wishes, "fast.raw", raw.fast);
    scratch(wishes, "slow.raw", raw.slow);
    race_levels(&ours, &raw, wishes->rounds);
    ours.is_async = true;
    race_levels(&ours, &raw, wishes->rounds);
    varve_graph_free(ours.graph);
    free(bytes);
}
