/* growth.c - G: Measures the time per scalar and per byte for growing models.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#include "model.h"
#include "raw.h"
#include "rows.h"

enum { MOST_STEPS = 5 };

/* Repeats small work, so that the clock can measure it. */
struct repeated {
    struct job job;
    double (*run)(void *job);
    unsigned times;
    double units;
};

static double run_repeated(void *user)
{
    struct repeated *repeated = user;
    double time = 0;
    for (unsigned i = 0; i < repeated->times; i++)
        time += repeated->run(&repeated->job);
    return time / repeated->times / repeated->units;
}

static double run_both(void *user)
{
    return run_save(user) + run_restore(user);
}

static void grow(const struct wishes *wishes, struct repeated *trials,
    const char *const *names, size_t count, const char *unit)
{
    struct contender contenders[MOST_STEPS];
    for (size_t i = 0; i < count; i++)
        contenders[i] = (struct contender){
            .name = names[i], .run = run_repeated, .user = &trials[i]
        };
    race(contenders, count, wishes->rounds);
    for (size_t i = 0; i < count; i++)
        report(&(struct row){ .id = "G",
            .what = names[i],
            .ours = &contenders[i],
            .raw = i ? &contenders[i - 1] : NULL,
            .unit = unit,
            .scale = 1e9 });
}

static void grow_nodes(const struct wishes *wishes, const char *path)
{
    static const char *const names[] = {
        "save and restore of 1,000 scalars, each", "of 10,000", "of 100,000",
        "of 1,000,000"
    };
    struct repeated trials[4];
    size_t count = wishes->is_smoke ? 2 : 4;
    float *values = calloc(1000000, sizeof *values);
    must_system(values != NULL, "memory");
    size_t nodes = 1000;
    for (size_t i = 0; i < count; i++, nodes *= 10) {
        trials[i] = (struct repeated){ .run = run_both,
            .times = (unsigned)(100000 / nodes) + 1,
            .units = (double)nodes,
            .job = { .graph = model_of_scalars(nodes, values),
                .path = path,
                .save = { .no_sync = true } } };
    }
    grow(wishes, trials, names, count, "ns");
    for (size_t i = 0; i < count; i++)
        varve_graph_free(trials[i].job.graph);
    free(values);
}

static void grow_bytes(const struct wishes *wishes, const char *path)
{
    static const char *const names[] = { "save and restore of 1 MiB, each KiB",
        "of 10 MiB", "of 100 MiB", "of 1 GiB", "of 4 GiB" };
    struct repeated trials[MOST_STEPS];
    static const size_t sizes[] = { 1, 10, 100, 1024, 4096 };
    size_t count = wishes->is_smoke ? 2 : wishes->is_full ? 5 : 4;
    unsigned char *bytes = touched_memory(sizes[count - 1] << 20);
    for (size_t i = 0; i < count; i++) {
        trials[i] = (struct repeated){ .run = run_both,
            .times = (unsigned)(50 / sizes[i]) + 1,
            .units = (double)(sizes[i] << 10),
            .job = { .graph = model_of_variables(bytes, sizes[i] << 20, 8),
                .path = path,
                .save = { .no_sync = true } } };
    }
    grow(wishes, trials, names, count, "ns");
    for (size_t i = 0; i < count; i++)
        varve_graph_free(trials[i].job.graph);
    free(bytes);
}

void bench_growth(const struct wishes *wishes)
{
    char path[PATH_SIZE];
    if (!is_wanted(wishes, "G"))
        return;
    scratch(wishes, "growth.varve", path);
    grow_nodes(wishes, path);
    grow_bytes(wishes, path);
    unlink(path);
}
