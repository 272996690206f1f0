/* memory.c - P11: the most memory beyond the model that a save or a restore
 * takes, seen from inside a process of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "model.h"
#include "raw.h"
#include "rows.h"

struct trial {
    const struct wishes *wishes;
    const char *path;
    bool is_restore;
    bool is_nodes;
};

/* The most memory that this process ever had, in bytes. */
static double peak(void)
{
    char line[256];
    double size = 0;
    FILE *status = fopen("/proc/self/status", "r");
    must_system(status != NULL, "/proc/self/status");
    while (fgets(line, sizeof line, status)) {
        if (strncmp(line, "VmHWM:", 6) == 0)
            size = strtod(line + 6, NULL) * 1024;
    }
    fclose(status);
    return size;
}

static double measure(const struct trial *trial)
{
    const struct wishes *wishes = trial->wishes;
    struct job job = { .path = trial->path, .save = { .no_sync = true } };
    if (trial->is_nodes)
        job.graph = model_of_nodes(
            wishes->nodes, (float *)(void *)touched_memory(wishes->nodes * 2));
    else
        job.graph =
            model_of_variables(touched_memory(wishes->size), wishes->size, 100);
    double before = peak();
    if (trial->is_restore)
        run_restore(&job);
    else
        run_save(&job);
    return peak() - before;
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

void bench_memory(const struct wishes *wishes)
{
    char path[PATH_SIZE];
    static const char *const what[] = { "save", "restore",
        "save of a million nodes", "restore of a million nodes" };
    if (!is_wanted(wishes, "P11"))
        return;
    fflush(stdout);
    for (size_t i = 0; i < 4; i++) {
        struct trial trial = { wishes, scratch(wishes, "memory.varve", path),
            i % 2 == 1, i > 1 };
        struct contender contender = {
            .name = what[i], .run = run_trial, .user = &trial
        };
        race(&contender, 1, wishes->is_smoke ? 1 : 2);
        report(&(struct row){ .id = "P11",
            .what = what[i],
            .ours = &contender,
            .unit = "MiB",
            .scale = 1.0 / (1 << 20),
            .most = 64 });
    }
    unlink(path);
}
