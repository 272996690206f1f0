/* rows.c - Distributes the rows of a table over processes, which save it as one
 * checkpoint: docs/tutorial/processes.md.
 *
 *     rows PROCESSES STEPS
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <varve/varve.h>

enum { ROWS = 60, COLUMNS = 4 };

struct part {
    uint64_t first, count; /* its rows */
    double rows[ROWS][COLUMNS];
    int64_t step;
};

static void take_step(struct part *p)
{
    for (uint64_t i = 0; i < p->count; i++)
        for (uint64_t j = 0; j < COLUMNS; j++)
            p->rows[i][j] += (double)((p->first + i) * j + 1);
    p->step++;
}

/* Prints the sum of all rows at rank 0. The sums of the processes are added in
 * the order of ranks. */
static varve_status tell(
    const struct part *p, const varve_comm *comm, varve_error *error)
{
    double sum = 0, sums[ROWS] = { 0 };
    for (uint64_t i = 0; i < p->count; i++)
        for (uint64_t j = 0; j < COLUMNS; j++)
            sum += p->rows[i][j];
    varve_status status = comm->gather(comm->self, &sum, sizeof sum, sums);
    for (uint32_t i = 1; i < comm->size; i++)
        sums[0] += sums[i];
    if (!status && comm->rank == 0)
        printf("%u processes, step %d: the sum of all rows is %g\n", comm->size,
            (int)p->step, sums[0]);
    return varve_agree(comm, status, error);
}

/* [run] */
/* Runs in each process. */
static varve_status run(
    const varve_comm *comm, int64_t steps, varve_error *error)
{
    struct part p = { .first = ROWS * comm->rank / comm->size };
    p.count = ROWS * (comm->rank + 1) / comm->size - p.first;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_slice(root, "rows", varve_array(&p.rows[0][0], p.count, COLUMNS),
        VARVE_SHAPE(ROWS, COLUMNS), (uint64_t[]){ p.first, 0 });
    varve_add_variable(root, "step", varve_scalar(&p.step));

    varve_restoration *r =
        varve_restore_all(comm, root, "run/rows", NULL, error);
    varve_status status = r ? VARVE_OK : error->status;
    if (status == VARVE_NOT_FOUND)
        status = VARVE_OK; /* the first run */
    while (!status && p.step < steps)
        take_step(&p);
    if (!status)
        status = varve_save_all(comm, root, "run/rows", NULL, error);
    if (!status)
        status = tell(&p, comm, error);
    varve_restoration_free(r);
    varve_graph_free(graph);
    return status;
}
/* [/run] */

int main(int argc, char **argv)
{
    uint32_t size = argc > 2 ? (uint32_t)atoi(argv[1]) : 1, rank = 0;
    varve_error error = { .status = VARVE_OK };
    /* [main] */
    varve_processes *group = varve_processes_new(size, NULL, &error);
    for (uint32_t i = 1; group && i < size && rank == 0; i++)
        rank = fork() == 0 ? i : 0;
    const varve_comm *comm =
        group ? varve_processes_join(group, rank, &error) : NULL;
    /* [/main] */
    int64_t steps = argc > 2 ? atoi(argv[2]) : 0;
    varve_status status = comm ? run(comm, steps, &error) : error.status;
    if (status && rank == 0) /* the other ranks have the same error */
        fprintf(stderr, "%s\n", error.message);
    varve_processes_free(group);
    while (rank == 0 && wait(NULL) > 0)
        continue;
    return status ? 1 : 0;
}
