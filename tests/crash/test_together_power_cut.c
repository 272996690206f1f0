/* test_together_power_cut.c - a power cut at any moment of a save of three
 * processes on two machines that takes the place of an older checkpoint: one of
 * the two is there with all of its values, nothing else passes for one, and
 * what is left over is swept up.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include <varve/slice.h>
#include <varve/together.h>
#include <varve/varve.h>

#include "crash/recorder.h"
#include "crash/states.h"
#include "graph.h"
#include "layer_prune.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test_context.h"
#include "support/thread_comm.h"
#include "system.h"

enum { RANKS = 3, ROWS = 7, COLUMNS = 90, WEIGHTS = 200 };
#define FILE_NAME "run/a.varve"

/* What a rank has. */
struct part {
    int matrix[ROWS * COLUMNS];
    int weights[WEIGHTS];
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
    part->step = number;
    varve_add_slice(root, "matrix", varve_array(part->matrix, rows, COLUMNS),
        VARVE_SHAPE(ROWS, COLUMNS), start);
    varve_add_variable(root, "weights", varve_array(part->weights, WEIGHTS));
    varve_add_variable(root, "step", varve_scalar(&part->step));
    return graph;
}

/* --- Saving and reading --------------------------------------------------- */

struct run {
    const struct vv_system *system;
    int number; /* what is saved; 0: it is read */
    varve_status statuses[RANKS];
    varve_error errors[RANKS];
    bool has_values[RANKS]; /* read: all of them of one checkpoint */
    int found[RANKS];       /* of which */
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

static void act(const varve_comm *comm, void *user)
{
    struct run *run = user;
    const struct vv_context context = test_context(run->system);
    struct part *part = calloc(1, sizeof *part);
    varve_error *error = &run->errors[comm->rank];
    varve_graph *graph =
        make_graph(&context, part, comm->rank, comm->size, run->number);
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = NULL;
    *error = (varve_error){ 0 };
    if (run->number)
        run->statuses[comm->rank] =
            varve_write_all(comm, root, FILE_NAME, NULL, error);
    else if (!(r = varve_read_all(comm, root, FILE_NAME, NULL, error)))
        run->statuses[comm->rank] = error->status;
    else
        look_at_part(run, comm->rank, comm->size, part);
    varve_restoration_free(r);
    varve_graph_free(graph);
    free(part);
}

static void save_all(const struct vv_system *system, int number)
{
    struct run run = { .system = system, .number = number };
    thread_comm_run(RANKS, 2, -1, act, &run);
    for (int i = 0; i < RANKS; i++)
        cr_assert_ok(run.statuses[i], run.errors[i]);
}

/* By two processes, neither of which has the rows of any that saved. */
static int find_all(const struct vv_system *system, long time)
{
    struct run run = { .system = system };
    thread_comm_run(2, 0, -1, act, &run);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(run.statuses[i], VARVE_OK,
            "power cut after change %ld: %s", time, run.errors[i].message);
        cr_assert(run.has_values[i],
            "power cut after change %ld: other values", time);
        cr_assert_eq(run.found[i], run.found[0]);
    }
    return run.found[0];
}

/* --- What a disk has ------------------------------------------------------ */

struct search {
    long time;
    long saved; /* from then on it is the newer one */
    long looks;
    struct crash_count count;
};

static bool passes_for_one(
    const struct vv_system *system, const char *path)
{
    const struct vv_context context = test_context(system);
    varve_graph *graph = vv_graph_new_in(&context);
    varve_restoration *r =
        varve_read(varve_graph_root(graph), path, NULL, NULL);
    varve_restoration_free(r);
    varve_graph_free(graph);
    return r != NULL;
}

/* The new index, under a name that nobody looks for. */
static bool is_on_its_way(const char *path)
{
    return strncmp(path, "run/.a.varve.", 13) == 0;
}

/* Nothing is there but a checkpoint and its two files. */
static void check_swept(struct memory *disk, long time)
{
    cr_assert_eq(memory_file_count(disk), 3,
        "power cut after change %ld: %zu files left", time,
        memory_file_count(disk));
}

static void look(void *user, struct memory *disk)
{
    struct search *s = user;
    const struct vv_system *system = memory_system(disk);
    const struct vv_context context = test_context(system);
    varve_error error = { 0 };
    bool has_index = false; /* that names files until a save sweeps it */
    int found = find_all(system, s->time);
    cr_assert(found == 1 || found == 2, "change %ld: %d", s->time, found);
    cr_assert(found == 2 || s->time < s->saved,
        "power cut after change %ld: the newer one is not there", s->time);
    for (size_t i = 0; i < memory_file_count(disk); i++) {
        const char *path = memory_file_path(disk, i);
        bool is_index = is_on_its_way(path);
        has_index |= is_index;
        if (strcmp(path, FILE_NAME) == 0 || is_index)
            continue;
        cr_assert(!passes_for_one(system, path),
            "power cut after change %ld: %s", s->time, path);
    }
    if (!has_index && s->looks++ % 2) {
        cr_assert_ok(vv_prune_layers(&context, FILE_NAME, &error), error);
        check_swept(disk, s->time);
        cr_assert_eq(find_all(system, s->time), found);
    }
    save_all(system, 3);
    check_swept(disk, s->time);
    cr_assert_eq(find_all(system, s->time), 3);
}

TEST(crash, a_power_cut_while_many_save_leaves_one_of_two_checkpoints)
{
    struct search s = { .count.most = proof_size(16, 1024) };
    struct memory *disk = memory_new();
    const struct vv_system *system = recorder_begin(disk, CRASH_NONE);
    const struct history *history = recorder_history();
    save_all(system, 1);
    long begin = history->time;
    save_all(system, 2);
    s.saved = history->time;
    for (s.time = begin; s.time <= history->time; s.time++)
        crash_states_at(history, s.time, look, &s, &s.count);
    cr_assert_gt(s.count.states, 100);
    recorder_end();
    memory_free(disk);
    proof_count("together.crashes", (uint64_t)s.count.states);
}
