/* 11_servers.c - Keeps a table and two vectors on "parameter servers" and
 * trains them with workers; then repeats this with fewer servers and more
 * workers.
 *
 *     11_servers [DIRECTORY]
 *
 * Introduces placement by size: each process computes which server has which
 * values, without communication. Each server adds its parts as slices; workers
 * have no values. A checkpoint of one number of servers can be restored with
 * another number. The processes are forked (varve_processes).
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <varve/varve.h>

#include "support/operands.h"

enum { VALUES = 3, MOST_RANKS = 8, RECORDS = 12, TOTAL = 60 * 4 + 8 + 12 };

static const struct {
    const char *name;
    uint64_t extents[2];
} values[VALUES] = { { "table", { 60, 4 } }, { "scale", { 8, 1 } },
    { "bias", { 12, 1 } } };

struct training {
    const varve_comm *comm;
    uint32_t servers; /* the ranks below this number; the others are workers */
    varve_graph *graph;
    varve_node *nodes[VALUES]; /* the part of each value that this rank has */
    float model[TOTAL];        /* all values, for one step */
    int64_t step;
};

/* Computes the part of each value that a rank has: some rows of the table,
 * which is large; all or nothing of the vectors. */
static void place(uint32_t rank, uint32_t servers, varve_box boxes[VALUES])
{
    uint64_t loads[MOST_RANKS] = { 0 };
    for (int i = 0; i < VALUES; i++) {
        varve_tensor all = varve_view(
            NULL, VARVE_FLOAT32, varve_shape_of(2, values[i].extents));
        uint64_t parts = varve_parts_at_most(&all, 0, 256, servers);
        uint32_t number = rank;
        if (parts == 1)
            number = rank != varve_place_by_load(
                                 loads, servers, varve_tensor_size(&all));
        boxes[i] = varve_part_at(&all, 0, parts, number);
    }
}

static void build(struct training *t, const varve_comm *comm, uint32_t servers)
{
    varve_box boxes[VALUES];
    *t = (struct training){ .comm = comm, .servers = servers };
    t->graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(t->graph);
    place(comm->rank, servers, boxes);
    varve_add_variable(root, "step", varve_scalar(&t->step));
    for (int i = 0; i < VALUES; i++)
        t->nodes[i] =
            varve_add_allocated_slice(root, values[i].name, VARVE_FLOAT32,
                varve_shape_of(2, values[i].extents), &boxes[i], NULL, NULL);
}

/* Gathers all values at all ranks. The parts are in the order of ranks, as in
 * the value. */
static varve_status pull(struct training *t)
{
    const varve_comm *comm = t->comm;
    float *at = t->model;
    for (int i = 0; i < VALUES; i++) {
        uint64_t sizes[MOST_RANKS] = { 0 };
        for (uint32_t rank = 0; rank < comm->size; rank++) {
            varve_box boxes[VALUES];
            place(rank, t->servers, boxes);
            sizes[rank] =
                boxes[i].extents[0] * boxes[i].extents[1] * sizeof *at;
        }
        const varve_tensor *own = varve_value(t->nodes[i]);
        varve_status status = comm->gather_varied(comm->self, own->data,
            (size_t)sizes[comm->rank], comm->rank == 0 ? at : NULL,
            comm->rank == 0 ? sizes : NULL);
        if (status)
            return status;
        at += values[i].extents[0] * values[i].extents[1];
    }
    return comm->broadcast(comm->self, t->model, sizeof t->model);
}

/* The workers share the records of a step. Their results are exact in any
 * order, so the number of workers does not change the sum. */
static void work(const struct training *t, float *change)
{
    uint32_t workers = t->comm->size - t->servers;
    bool is_worker = t->comm->rank >= t->servers;
    for (uint32_t i = 0; i < RECORDS; i++) {
        size_t at = (size_t)(t->step * 7 + (int64_t)i * 29) % TOTAL;
        if (is_worker && i % workers == t->comm->rank % workers)
            change[at] += t->model[at] > 8 ? -4.0f : 0.25f * (float)(i + 1);
    }
}

/* Gathers all changes. Each server applies its part. */
static varve_status push(struct training *t, const float *change)
{
    const varve_comm *comm = t->comm;
    static float all[MOST_RANKS][TOTAL], sum[TOTAL];
    varve_box boxes[VALUES];
    varve_status status = comm->gather(
        comm->self, change, sizeof sum, comm->rank == 0 ? all : NULL);
    memset(sum, 0, sizeof sum);
    for (uint32_t rank = 0; comm->rank == 0 && rank < comm->size; rank++)
        for (size_t i = 0; i < TOTAL; i++)
            sum[i] += all[rank][i];
    if (!status)
        status = comm->broadcast(comm->self, sum, sizeof sum);
    const float *at = sum;
    place(comm->rank, t->servers, boxes);
    for (int i = 0; !status && i < VALUES; i++) {
        const varve_tensor *own = varve_value(t->nodes[i]);
        uint64_t first = boxes[i].start[0] * values[i].extents[1];
        for (uint64_t j = 0; j < varve_tensor_count(own); j++)
            ((float *)own->data)[j] += at[first + j];
        at += values[i].extents[0] * values[i].extents[1];
    }
    return status;
}

static varve_status train(struct training *t, int64_t steps)
{
    varve_status status = VARVE_OK;
    while (!status && t->step < steps) {
        float change[TOTAL] = { 0 };
        status = pull(t);
        if (!status)
            work(t, change);
        if (!status)
            status = push(t, change);
        t->step++;
    }
    return status ? status : pull(t);
}

static void tell(const struct training *t)
{
    double sum = 0;
    for (size_t i = 0; i < TOTAL; i++)
        sum += (double)t->model[i] * (double)(i + 1);
    printf("%u servers, %u workers: %d steps, the sum of all values is %g\n",
        t->servers, t->comm->size - t->servers, (int)t->step, sum);
}

/* [all] */
/* Runs in each process: resumes from the last checkpoint and continues up to a
 * step. */
static varve_status run(const varve_comm *comm, uint32_t servers, int64_t steps,
    const char *prefix, varve_error *error)
{
    struct training t;
    build(&t, comm, servers);
    varve_node *root = varve_graph_root(t.graph);
    varve_restoration *found =
        varve_restore_all(comm, root, prefix, NULL, error);
    varve_status status = found ? VARVE_OK : error->status;
    varve_restoration_free(found);
    if (status == VARVE_NOT_FOUND)
        status = varve_initialize(root, NULL, error);
    if (!status)
        status = train(&t, steps);
    if (!status && comm->rank == 0)
        tell(&t);
    if (!status)
        status = varve_save_all(comm, root, prefix, NULL, error);
    varve_graph_free(t.graph);
    return status;
}
/* [/all] */

/* [group] */
/* Forks all processes but one; this process is rank 0. */
static varve_status run_group(uint32_t servers, uint32_t workers, int64_t steps,
    const char *prefix, varve_error *error)
{
    uint32_t size = servers + workers, rank = 0;
    varve_processes *group = varve_processes_new(size, NULL, error);
    if (!group)
        return error->status;
    fflush(stdout);
    for (uint32_t i = 1; i < size && rank == 0; i++)
        rank = fork() == 0 ? i : 0;
    const varve_comm *comm = varve_processes_join(group, rank, error);
    varve_status status =
        comm ? run(comm, servers, steps, prefix, error) : error->status;
    varve_processes_free(group);
    if (rank > 0)
        _exit(status ? 1 : 0);
    while (wait(NULL) > 0)
        continue;
    return status;
}
/* [/group] */

int main(int argc, char **argv)
{
    if (!operands_fit(argc, argv, 1, "[DIRECTORY]"))
        return 2;
    char broken[1024], whole[1024];
    const char *directory = argc > 1 ? argv[1] : "run/11_servers";
    snprintf(broken, sizeof broken, "%s/broken", directory);
    snprintf(whole, sizeof whole, "%s/whole", directory);

    varve_error error = { 0 };
    varve_status status;
    if ((status = run_group(3, 2, 20, broken, &error)) ||
        (status = run_group(2, 3, 40, broken, &error)) ||
        (status = run_group(1, 1, 40, whole, &error)))
        fprintf(stderr, "%s: %s\n", varve_status_name(status), error.message);
    return status ? 1 : 0;
}
