/* memory.c - P11: Measures the peak memory of a save or a restore beyond the
 * model, in a separate process.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "model.h"
#include "raw.h"
#include "rows.h"

enum what { SAVE, RESTORE, SAVE_MANY, RESTORE_MANY, BUILD_MANY, KINDS };

struct trial {
    const struct wishes *wishes;
    const char *path;
    enum what what;
};

/* Returns a line of /proc/self/status in bytes. */
static double memory_of(const char *which)
{
    char line[256];
    double size = 0;
    FILE *status = fopen("/proc/self/status", "r");
    must_system(status != NULL, "/proc/self/status");
    while (fgets(line, sizeof line, status)) {
        if (strncmp(line, which, strlen(which)) == 0)
            size = strtod(line + strlen(which), NULL) * 1024;
    }
    fclose(status);
    return size;
}

/* Returns the peak memory of this process. */
static double peak(void)
{
    return memory_of("VmHWM:");
}

/* Returns the file size beyond the values, nearly all of which is the index. */
static double index_size(const char *path, size_t values_size)
{
    struct stat file;
    must_system(stat(path, &file) == 0, "stat");
    return (double)file.st_size - (double)values_size;
}

/* Returns bytes per variable, after temporary tables have been freed. */
static double measure_graph(size_t count, float *values)
{
    double before = memory_of("VmRSS:");
    varve_graph *graph = model_of_scalars(count, values);
    double size = memory_of("VmRSS:") - before;
    varve_graph_free(graph);
    return size / (double)count;
}

static double measure(const struct trial *trial)
{
    const struct wishes *wishes = trial->wishes;
    struct job job = { .path = trial->path, .save = { .no_sync = true } };
    bool are_many = trial->what >= SAVE_MANY;
    size_t size = are_many ? wishes->nodes * sizeof(float) : wishes->size;
    unsigned char *values = touched_memory(size);
    float *scalars = (float *)(void *)values;
    if (trial->what == BUILD_MANY)
        return measure_graph(wishes->nodes, scalars);
    job.graph = are_many ? model_of_scalars(wishes->nodes, scalars)
                         : model_of_variables(values, size, 100);
    double before = peak();
    if (trial->what == RESTORE || trial->what == RESTORE_MANY)
        run_restore(&job);
    else
        run_save(&job);
    double most = peak() - before;
    return are_many ? most - index_size(trial->path, size) : most;
}

static double run_trial(void *user)
{
    int ends[2];
    double size = 0;
    must_system(pipe(ends) == 0, "pipe");
    pid_t child = fork();
    must_system(child >= 0, "fork");
    if (child == 0) {
        size = measure(user);
        _exit(write(ends[1], &size, sizeof size) != sizeof size);
    }
    close(ends[1]);
    must_system(read(ends[0], &size, sizeof size) == sizeof size, "a child");
    close(ends[0]);
    waitpid(child, NULL, 0);
    return size;
}

static void report_memory(
    const struct wishes *wishes, const char *path, enum what what)
{
    static const char *const names[KINDS] = { "save", "restore",
        "save of a million scalars, beyond the index",
        "restore of a million scalars, beyond the index",
        "a graph of a million scalars, for each" };
    struct trial trial = { wishes, path, what };
    struct contender contender = {
        .name = names[what], .run = run_trial, .user = &trial
    };
    race(&contender, 1, wishes->is_smoke ? 1 : 2);
    report(&(struct row){ .id = "P11",
        .what = names[what],
        .ours = &contender,
        .unit = what == BUILD_MANY ? "bytes" : "MiB",
        .scale = what == BUILD_MANY ? 1 : 1.0 / (1 << 20),
        .most = what == BUILD_MANY ? 200 : 64 });
}

void bench_memory(const struct wishes *wishes)
{
    char path[PATH_SIZE];
    if (!is_wanted(wishes, "P11"))
        return;
    fflush(stdout);
    scratch(wishes, "memory.varve", path);
    for (enum what what = 0; what < KINDS; what++)
        report_memory(wishes, path, what);
    unlink(path);
}
