/* make_nodes.c - writes the golden files of nodes with directories of their
 * own: what five ranks saved, each with a slice, and their parity.
 *
 *     make_nodes xor|partner DIRECTORY
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

static varve_status save(varve_redundancy_scheme scheme, const varve_comm *comm,
    const char *directory, varve_error *error)
{
    static int32_t grid[ROWS][COLUMNS];
    static float own[64];
    int64_t step = 7;
    const varve_redundancy redundancy = {
        .scheme = scheme, .group_size = 3, .domain = 9 - comm->rank
    };
    const varve_manager_options options = {
        .comm = comm, .redundancy = &redundancy, .keep_last = 1
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
        varve_manager_new(root, directory, &options, error);
    varve_status status =
        manager ? varve_manager_save(manager, step, error) : error->status;
    varve_manager_free(manager);
    varve_graph_free(graph);
    return status;
}

/* A rank, from its beginning to its end. */
static int run(varve_processes *all, uint32_t rank,
    varve_redundancy_scheme scheme, const char *directory)
{
    varve_error error = { 0 };
    const varve_comm *comm = varve_processes_join(all, rank, &error);
    varve_status status =
        comm ? save(scheme, comm, directory, &error) : error.status;
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_processes_free(all);
    return status ? 1 : 0;
}

int main(int argc, char **argv)
{
    varve_error error;
    int failed = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: make_nodes xor|partner DIRECTORY\n");
        return 2;
    }
    varve_redundancy_scheme scheme =
        strcmp(argv[1], "xor") == 0 ? VARVE_XOR : VARVE_PARTNER;
    varve_processes *all = varve_processes_new(RANKS, NULL, &error);
    if (!all) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (uint32_t i = 1; i < RANKS; i++)
        if (fork() == 0)
            _exit(run(all, i, scheme, argv[2]));
    failed |= run(all, 0, scheme, argv[2]);
    for (uint32_t i = 1; i < RANKS; i++) {
        int status = 1;
        wait(&status);
        failed |= status != 0;
    }
    return failed;
}
