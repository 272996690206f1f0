/* nodes.c - Runs a program of three processes with separate directories.
 *
 * SPDX-License-Identifier: MIT
 */
#include "portable/nodes.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <varve/varve.h>

enum { RANKS = 3, LOST = 1, ROWS = 2, COLUMNS = 5, PATH_SIZE = 4096 };

struct part {
    varve_graph *graph;
    double rows[ROWS][COLUMNS];
    int64_t step;
};

static double cell(uint32_t rank, int i)
{
    return 0.1 * (ROWS * COLUMNS * rank + (unsigned)i);
}

static varve_node *build(struct part *p, uint32_t rank, bool fills)
{
    const uint64_t start[] = { ROWS * rank, 0 };
    p->graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(p->graph);
    varve_add_slice(root, "rows", varve_array(&p->rows[0][0], ROWS, COLUMNS),
        VARVE_SHAPE(ROWS * RANKS, COLUMNS), start);
    varve_add_variable(root, "step", varve_scalar(&p->step));
    for (int i = 0; fills && i < ROWS * COLUMNS; i++)
        p->rows[i / COLUMNS][i % COLUMNS] = cell(rank, i);
    p->step = fills ? 70000 : 0;
    return root;
}

static bool is_filled(const struct part *p, uint32_t rank)
{
    bool is_so = p->step == 70000;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        is_so &= p->rows[i / COLUMNS][i % COLUMNS] == cell(rank, i);
    return is_so;
}

/* --- Writing -------------------------------------------------------------- */

static bool live(const varve_comm *comm, const char *folder, bool resumes)
{
    struct part part = { 0 };
    varve_error error = { 0 };
    const varve_redundancy redundancy = {
        .scheme = VARVE_XOR, .domain = comm->rank + 1
    };
    const varve_manager_options options = {
        .comm = comm, .redundancy = &redundancy, .keep_last = 1,
        .run = "portable" /* for identical bytes on each machine */
    };
    varve_node *root = build(&part, comm->rank, !resumes);
    varve_manager *m = varve_manager_new(root, folder, &options, &error);
    bool good = m && !(resumes ? varve_manager_resume(m, &error)
                               : varve_manager_save(m, part.step, &error));
    if (!good)
        fprintf(stderr, "nodes: %s\n", error.message);
    good = good && is_filled(&part, comm->rank);
    varve_manager_free(m);
    varve_graph_free(part.graph);
    return good;
}

static bool run_rank(
    varve_processes *all, uint32_t rank, const char *folder, bool resumes)
{
    varve_error error = { 0 };
    const varve_comm *comm = varve_processes_join(all, rank, &error);
    bool good = comm && live(comm, folder, resumes);
    varve_processes_free(all);
    return good;
}

static bool run(const char *folder, bool resumes)
{
    varve_error error;
    varve_processes *all = varve_processes_new(RANKS, NULL, &error);
    if (!all)
        return false;
    for (uint32_t i = 1; i < RANKS; i++)
        if (fork() == 0)
            _exit(run_rank(all, i, folder, resumes) ? 0 : 1);
    bool good = run_rank(all, 0, folder, resumes);
    for (uint32_t i = 1; i < RANKS; i++) {
        int status = 1;
        wait(&status);
        good = good && status == 0;
    }
    return good;
}

static const char *file_of(const char *folder, uint32_t rank, const char *name)
{
    static char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/rank-%u%s%s", folder, (unsigned)rank,
        *name ? "/" : "", name);
    return path;
}

static void lose(const char *folder, uint32_t rank)
{
    static const char *const names[] = { "ckpt-1.varve", "ckpt-1.parity",
        "ckpt.ledger", ".ckpt.lock", "" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(file_of(folder, rank, names[i]));
}

const char *nodes_write(const char *folder)
{
    if (mkdir(folder, 0777))
        return "no folder for ranks";
    if (!run(folder, false))
        return "three processes did not save";
    lose(folder, LOST);
    if (!run(folder, true))
        return "a lost shard was not rebuilt";
    for (uint32_t i = 0; i < RANKS; i++) {
        remove(file_of(folder, i, "ckpt.ledger")); /* contains times */
        remove(file_of(folder, i, ".ckpt.lock"));
    }
    return NULL;
}

/* --- Reading -------------------------------------------------------------- */

const char *nodes_read(const char *folder)
{
    bool good = true;
    for (uint32_t i = 0; i < RANKS; i++) {
        struct part part = { 0 };
        varve_error error = { 0 };
        varve_node *root = build(&part, i, false);
        varve_restoration *r =
            varve_read(root, file_of(folder, i, "ckpt-1.varve"), NULL, &error);
        if (!r)
            fprintf(stderr, "nodes: %s\n", error.message);
        good = good && r && is_filled(&part, i);
        varve_restoration_free(r);
        varve_graph_free(part.graph);
    }
    return good ? NULL : "slices of the other machine differ";
}
