/* make_many.c - Writes the golden file of several processes: the second
 * incremental save of three, with sharded values, some compressed, and
 * rank-local values.
 *
 *     make_many FILE
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <varve/varve.h>

enum { RANKS = 3, ROWS = 48, WIDE = 64, WEIGHTS = 20000 };

static varve_status save(const varve_comm *comm, const char *path, int64_t step,
    varve_error *error)
{
    static float rows[ROWS][WIDE], weights[WEIGHTS];
    static int32_t own[4];
    const varve_write_options options = { .incremental = true, .compress = 1 };
    uint64_t start[] = { ROWS / RANKS * comm->rank, 0 };
    for (int i = 0; i < ROWS * WIDE; i++)
        rows[i / WIDE][i % WIDE] = (float)(i / 5);
    for (int i = 0; i < WEIGHTS; i++)
        weights[i] = (float)i / 1024;
    rows[ROWS - 1][0] = (float)step; /* only a row of the last rank changes */
    for (int i = 0; i < 4; i++)
        own[i] = (int32_t)comm->rank * 10 + i;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_node *mine = varve_add_rank_local(root, "worker", comm, NULL);
    varve_add_variable(mine, "own", varve_array(own, 4));
    varve_add_slice(root, "rows",
        varve_array(rows[start[0]], ROWS / RANKS, WIDE),
        VARVE_SHAPE(ROWS, WIDE), start);
    varve_add_variable(root, "weights", varve_array(weights, WEIGHTS));
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_status status = varve_write_all(comm, root, path, &options, error);
    varve_graph_free(graph);
    return status;
}

/* Runs a rank that saves twice. */
static int run(varve_processes *all, uint32_t rank, const char *path)
{
    varve_error error = { 0 };
    const varve_comm *comm = varve_processes_join(all, rank, &error);
    varve_status status = comm ? VARVE_OK : error.status;
    for (int step = 1; step <= 2 && !status; step++)
        status = save(comm, path, step, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_processes_free(all);
    return status ? 1 : 0;
}

int main(int argc, char **argv)
{
    varve_error error;
    int failed = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: make_many FILE\n");
        return 2;
    }
    varve_processes *all = varve_processes_new(RANKS, NULL, &error);
    if (!all) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (uint32_t i = 1; i < RANKS; i++)
        if (fork() == 0)
            _exit(run(all, i, argv[1]));
    failed |= run(all, 0, argv[1]);
    for (uint32_t i = 1; i < RANKS; i++) {
        int status = 1;
        wait(&status);
        failed |= status != 0;
    }
    return failed;
}
