/* crew.c - Saves and restores a matrix sharded by rows and replicated variables
 * on several ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "crash/crew.h"

#include <stdlib.h>
#include <string.h>

#include <varve/slice.h>
#include <varve/collective.h>
#include <varve/varve.h>

#include "graph.h"
#include "support/test_context.h"
#include "support/thread_comm.h"

enum { ROWS = 7, COLUMNS = 90, WEIGHTS = 200, ALWAYS = 17000 };

varve_write_options crew_options;
bool crew_is_behind;

/* The state of one rank. */
struct part {
    int matrix[ROWS * COLUMNS];
    int weights[WEIGHTS];
    int always[ALWAYS]; /* the same in every checkpoint */
    int step;
};

static varve_graph *make_graph(const struct vv_context *context,
    struct part *part, uint32_t rank, uint32_t size, int number)
{
    uint64_t start[] = { ROWS * rank / size, 0 };
    uint64_t rows = ROWS * (rank + 1) / size - start[0];
    varve_graph *graph = vv_graph_new_in(context);
    varve_node *root = varve_graph_root(graph);
    for (int i = 0; i < (int)rows * COLUMNS; i++)
        part->matrix[i] =
            number ? number * 10000 + (int)start[0] * COLUMNS + i : 0;
    for (int i = 0; i < WEIGHTS; i++)
        part->weights[i] = number + i;
    for (int i = 0; i < ALWAYS; i++)
        part->always[i] = number ? i / 3 : 0;
    part->step = number;
    varve_add_slice(root, "matrix", varve_array(part->matrix, rows, COLUMNS),
        VARVE_SHAPE(ROWS, COLUMNS), start);
    varve_add_variable(root, "weights", varve_array(part->weights, WEIGHTS));
    varve_add_variable(root, "step", varve_scalar(&part->step));
    if (crew_options.incremental)
        varve_add_variable(root, "always", varve_array(part->always, ALWAYS));
    else
        memset(part->always, 0, sizeof part->always);
    return graph;
}

/* --- Saving and reading --------------------------------------------------- */

struct run {
    const struct vv_system *system;
    const char *path;
    int number; /* number of the checkpoint */
    varve_status statuses[CREW_RANKS];
    varve_error errors[CREW_RANKS];
    /* ranks whose values all belong to one checkpoint */
    bool has_values[CREW_RANKS];
    int found[CREW_RANKS];       /* the number of that checkpoint */
};

static void look_at_part(struct run *run, uint32_t rank, uint32_t size,
    const struct part *part)
{
    struct part *expected = calloc(1, sizeof *expected);
    run->found[rank] = part->step;
    const struct vv_context context = test_context(run->system);
    varve_graph_free(make_graph(&context, expected, rank, size, part->step));
    run->has_values[rank] = memcmp(part, expected, sizeof *part) == 0;
    free(expected);
}

static varve_status save_behind(const varve_comm *comm, varve_node *root,
    const char *path, struct part *part, varve_error *error)
{
    varve_job *job =
        varve_write_all_async(comm, root, path, &crew_options, error);
    memset(part, 0xee, sizeof *part);
    varve_status status = job ? varve_job_wait(job, error) : error->status;
    varve_job_free(job);
    return status;
}

varve_status crew_save_rank(const varve_comm *comm,
    const struct vv_system *system, const char *path, int number,
    varve_error *error)
{
    const struct vv_context context = test_context(system);
    struct part *part = calloc(1, sizeof *part);
    varve_graph *graph =
        make_graph(&context, part, comm->rank, comm->size, number);
    varve_node *root = varve_graph_root(graph);
    varve_status status =
        crew_is_behind
            ? save_behind(comm, root, path, part, error)
            : varve_write_all(comm, root, path, &crew_options, error);
    varve_graph_free(graph);
    free(part);
    return status;
}

static void save_rank(const varve_comm *comm, void *user)
{
    struct run *run = user;
    uint32_t i = comm->rank;
    run->statuses[i] = crew_save_rank(
        comm, run->system, run->path, run->number, &run->errors[i]);
}

static void find_rank(const varve_comm *comm, void *user)
{
    struct run *run = user;
    const struct vv_context context = test_context(run->system);
    struct part *part = calloc(1, sizeof *part);
    varve_error *error = &run->errors[comm->rank];
    varve_graph *graph = make_graph(&context, part, comm->rank, comm->size, 0);
    varve_restoration *r = varve_read_all(
        comm, varve_graph_root(graph), run->path, NULL, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    if (r)
        look_at_part(run, comm->rank, comm->size, part);
    varve_restoration_free(r);
    varve_graph_free(graph);
    free(part);
}

void crew_save(const struct vv_system *system, const char *path, int number)
{
    struct run run = { .system = system, .path = path, .number = number };
    thread_comm_run(CREW_RANKS, 2, -1, save_rank, &run);
    for (int i = 0; i < CREW_RANKS; i++)
        cr_assert_ok(run.statuses[i], run.errors[i]);
}

int crew_find(const struct vv_system *system, const char *path, long when)
{
    struct run run = { .system = system, .path = path };
    thread_comm_run(2, 0, -1, find_rank, &run);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(run.statuses[i], VARVE_OK, "after %ld: %s", when,
            run.errors[i].message);
        cr_assert(run.has_values[i], "after %ld: other values", when);
        cr_assert_eq(run.found[i], run.found[0]);
    }
    return run.found[0];
}
