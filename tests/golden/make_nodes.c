/* make_nodes.c - Writes the golden files of nodes with local directories:
 * sharded checkpoints of five ranks and their parity. Or rebuilds the missing
 * ones.
 *
 *     make_nodes xor
 * partner DIRECTORY [resume]
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <varve/varve.h>

enum { RANKS = 5, ROWS = 11, COLUMNS = 3 };

static const uint64_t first[RANKS + 1] = { 0, 2, 5, 5, 10, ROWS };

struct task {
    varve_redundancy_scheme scheme;
    const char *directory;
    bool resumes;
};

static varve_status work(
    const struct task *task, const varve_comm *comm, varve_error *error)
{
    static int32_t grid[ROWS][COLUMNS];
    static float own[64];
    int64_t step = 7;
    const varve_redundancy redundancy = {
        .scheme = task->scheme, .group_size = 2, .domain = 9 - comm->rank / 2
    };
    const varve_manager_options options = {
        .comm = comm, .redundancy = &redundancy, .keep_last = 1,
        .run = "golden"
    };
    const uint64_t start[] = { first[comm->rank], 0 };
    uint64_t rows = first[comm->rank + 1] - start[0];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        grid[i / COLUMNS][i % COLUMNS] = i * i;
    for (int i = 0; i < 64; i++)
        own[i] = (float)(i + 100 * (int)comm->rank);
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_slice(root, "grid", varve_array(grid[start[0]], rows, COLUMNS),
        VARVE_SHAPE(ROWS, COLUMNS), start);
    varve_add_variable(root, "own", varve_array(own, 16 * (comm->rank % 4)));
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_manager *manager =
        varve_manager_new(root, task->directory, &options, error);
    varve_status status =
        !manager        ? error->status
        : task->resumes ? varve_manager_resume(manager, error)
                        : varve_manager_save(manager, step, error);
    varve_manager_free(manager);
    varve_graph_free(graph);
    return status;
}

/* Runs a rank that saves or resumes. */
static int run(varve_processes *all, uint32_t rank, const struct task *task)
{
    varve_error error = { 0 };
    const varve_comm *comm = varve_processes_join(all, rank, &error);
    varve_status status =
        comm ? work(task, comm, &error) : error.status;
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_processes_free(all);
    return status ? 1 : 0;
}

int main(int argc, char **argv)
{
    varve_error error;
    int failed = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: make_nodes xor|partner DIRECTORY [resume]\n");
        return 2;
    }
    const struct task task = {
        .scheme = strcmp(argv[1], "xor") == 0 ? VARVE_XOR : VARVE_PARTNER,
        .directory = argv[2],
        .resumes = argc > 3,
    };
    varve_processes *all = varve_processes_new(RANKS, NULL, &error);
    if (!all) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (uint32_t i = 1; i < RANKS; i++)
        if (fork() == 0)
            _exit(run(all, i, &task));
    failed |= run(all, 0, &task);
    for (uint32_t i = 1; i < RANKS; i++) {
        int status = 1;
        wait(&status);
        failed |= status != 0;
    }
    return failed;
}
