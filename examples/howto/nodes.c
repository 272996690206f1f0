/* nodes.c - Saves to the local disks of several nodes, for docs/howto/nodes.md.
 * Four processes simulate four nodes, each with the directory `node-R` as its
 * disk. Under MPI the nodes are detected, and all ranks pass the same
 * directory.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <varve/processes.h>
#include <varve/varve.h>

enum { PROCESSES = 4, VALUES = 100000, STEPS = 3 };

static int64_t step;
static float values[VALUES];

/* [manager] */
static varve_manager *open_manager(
    const varve_comm *comm, varve_node *root, varve_error *error)
{
    char disk[32];
    const varve_redundancy redundancy = {
        .scheme = VARVE_XOR,
        .domain = comm->rank + 1, /* as if each rank were on another machine */
    };
    const varve_manager_options options = {
        .comm = comm, .redundancy = &redundancy, .keep_last = 1
    };
    snprintf(disk, sizeof disk, "node-%u", (unsigned)comm->rank);
    return varve_manager_new(root, disk, &options, error);
}
/* [/manager] */

static void tell(const varve_manager *manager)
{
    const char *line;
    for (size_t i = 0; (line = varve_manager_skipped(manager, i)); i++)
        printf("%s\n", line);
    if (step > 0)
        printf("%d processes resume from step %d\n", PROCESSES, (int)step);
    else
        printf("%d processes start\n", PROCESSES);
}

static varve_status run(
    const varve_comm *comm, varve_manager *manager, varve_error *error)
{
    varve_status status = varve_manager_resume(manager, error);
    if (!status && comm->rank == 0)
        tell(manager);
    for (int i = 0; !status && i < STEPS; i++) {
        step++;
        values[comm->rank] += 1;
        status = varve_manager_save(manager, step, error);
    }
    return status;
}

static int work(const varve_comm *comm, varve_error *error)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_add_variable(root, "values", varve_array(values, VALUES));
    varve_manager *manager = open_manager(comm, root, error);
    varve_status status = manager ? run(comm, manager, error) : error->status;
    if (!status && values[comm->rank] != (float)step)
        status = VARVE_CORRUPT;
    if (status && comm->rank == 0)
        fprintf(stderr, "%s\n", error->message);
    varve_manager_free(manager);
    varve_graph_free(graph);
    return status ? 1 : 0;
}

int main(void)
{
    varve_error error = { 0 };
    varve_processes *all = varve_processes_new(PROCESSES, NULL, &error);
    uint32_t rank = PROCESSES - 1;
    while (all && rank > 0 && fork() != 0)
        rank--;
    const varve_comm *comm = varve_processes_join(all, rank, &error);
    int result = comm ? work(comm, &error) : 1;
    fflush(stdout);
    varve_processes_free(all);
    while (rank == 0 && wait(NULL) > 0)
        continue;
    return result;
}
