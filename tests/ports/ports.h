/* ports.h - Declares how the small programs are saved, restarted, restored, and
 * compared with an uninterrupted run.
 *
 * Each adds its state twice, by calls and by tables of its structs, and runs in
 * a loop that may be killed. lines.py counts the lines between comments.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PORTS_H
#define PORTS_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <varve/varve.h>

typedef void add_program(varve_node *root);

static inline int port_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

/* Saves the state, changes it, and restores it. */
static inline int port_save(add_program *add, const char *path)
{
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    add(varve_graph_root(graph));
    int failed =
        varve_write(varve_graph_root(graph), path, NULL, &error) != VARVE_OK;
    varve_graph_free(graph);
    return failed ? port_fail("save", error.message) : 0;
}

static inline int port_restore(add_program *add, const char *path)
{
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    add(varve_graph_root(graph));
    varve_restoration *r =
        varve_read(varve_graph_root(graph), path, NULL, &error);
    int failed = !r || varve_assert_consumed(r, &error) != VARVE_OK;
    varve_restoration_free(r);
    varve_graph_free(graph);
    return failed ? port_fail("restore", error.message) : 0;
}

/* A program: starts, runs a number of steps, ends, and computes a checksum of
 * its state. */
struct port {
    void (*begin)(void);
    void (*go_on)(int steps);
    double (*sum)(void);
    void (*end)(void);
    add_program *by_calls;
    add_program *by_tables;
    /* continues from its last state */
    int (*live)(const char *directory, long steps);
};

static inline int port_try(
    const struct port *p, add_program *add, const char *path)
{
    p->begin();
    p->go_on(20);
    int failed = port_save(add, path);
    p->go_on(20);
    double unbroken = p->sum();
    p->end();
    p->begin();
    if (!failed)
        failed = port_restore(add, path);
    p->go_on(20);
    double resumed = p->sum();
    p->end();
    if (!failed && memcmp(&resumed, &unbroken, sizeof resumed) != 0)
        failed = port_fail(path, "the resumed run has a different result");
    remove(path);
    return failed;
}

/* --- Lives --------------------------------------------------------------- */

enum { PORT_STEPS = 120 };

static const varve_run_options port_options = {
    .manager = { .interval_steps = 10, .keep_last = 2 },
};

static long port_dies_at = -1;

static inline void port_may_die(long step)
{
    if (step == port_dies_at)
        raise(SIGKILL);
}

/* Runs a process that dies in a step, or ends normally if that is -1. */
static inline int port_life(
    const struct port *p, const char *directory, long dies_at, double unbroken)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        port_dies_at = dies_at;
        p->begin();
        int failed = p->live(directory, PORT_STEPS);
        double resumed = p->sum();
        p->end();
        _exit(failed || memcmp(&resumed, &unbroken, sizeof resumed) != 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return port_fail(directory, "the process could not be started");
    if (dies_at >= 0 ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
                     : WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return port_fail(directory, "the process ended unexpectedly");
}

static inline int port_live(const struct port *p, const char *directory)
{
    static const long deaths[] = { 0, 9, 10, 11, 37, 38, 60, 95, 119, -1 };
    char command[600];
    int failed = 0;
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (system(command))
        return port_fail(directory, "it stays");
    p->begin();
    p->go_on(PORT_STEPS);
    double unbroken = p->sum();
    p->end();
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths && !failed; i++)
        failed = port_life(p, directory, deaths[i], unbroken);
    return system(command) | failed;
}

static inline int port_main(const struct port *p, int argc, char **argv)
{
    char path[512], directory[512];
    if (argc != 2)
        return port_fail("usage", "PROGRAM FILE");
    snprintf(path, sizeof path, "%s.varve", argv[1]);
    snprintf(directory, sizeof directory, "%s.run", argv[1]);
    return port_try(p, p->by_calls, path) | port_try(p, p->by_tables, path) |
           port_live(p, directory);
}

#endif
