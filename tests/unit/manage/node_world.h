/* node_world.h - Creates a program of several processes on nodes with a
 * directory each. Nodes are folders of one disk in memory and can be lost; the
 * system of any rank can fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_NODE_WORLD_H
#define UNIT_NODE_WORLD_H

#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test_context.h"
#include "support/thread_comm.h"
#include "system.h"

enum { MOST_RANKS = 9, MOST_VALUES = 300, MOST_ROWS = 4, COLUMNS = 3 };

/* A rank during a run. */
struct node_rank {
    const varve_comm *comm;
    uint32_t rank;
    varve_graph *graph;
    varve_node *root;
    varve_manager *manager;
    float values[MOST_VALUES];
    int32_t grid[MOST_ROWS][COLUMNS]; /* all ranks have rows of it */
    int64_t step;
};

/* The results of the ranks, and the parameters of a run. */
static struct {
    struct memory *memory;
    struct vv_context contexts[MOST_RANKS];
    uint32_t count, share;
    varve_manager_options options;
    varve_redundancy redundancy;
    varve_status got[MOST_RANKS];
    varve_error errors[MOST_RANKS];
    int64_t steps[MOST_RANKS]; /* after a resume; -1: none */
    int64_t saved;             /* the newest step that was reported to a rank */
    int64_t from, to;          /* steps to save */
    bool is_fresh;             /* does not resume */
    bool drains;               /* after each save */
    int64_t drained;           /* the newest step that was reported to a rank */
    void (*before_save)(uint32_t rank, int64_t step);
    uint64_t left_out[MOST_RANKS]; /* at the first tier, at the end */
    char failure[MOST_RANKS][300]; /* of the tier, before the last flush */
    char passed_over[MOST_RANKS][4096];
    char warnings[MOST_RANKS][300]; /* after asynchronous rebuilding */
} nodes;

static inline void begin_nodes(uint32_t count, uint32_t scheme)
{
    memset(&nodes, 0, sizeof nodes);
    nodes.memory = memory_new();
    nodes.count = count;
    nodes.share = 1;
    nodes.redundancy.scheme = scheme;
    nodes.redundancy.group_size = 4;
    nodes.saved = nodes.drained = -1;
    for (uint32_t i = 0; i < MOST_RANKS; i++)
        nodes.contexts[i] = test_context(memory_system(nodes.memory));
}

static inline void end_nodes(void)
{
    cr_assert_eq(memory_open_count(nodes.memory), 0);
    memory_free(nodes.memory);
}

static inline size_t value_count(uint32_t rank)
{
    return 1 + rank * 37 % MOST_VALUES;
}

static inline float value_of(uint32_t rank, int64_t step, size_t i)
{
    return (float)(rank * 1000 + i) + (float)step / 8;
}

static inline uint32_t row_count(uint32_t rank)
{
    return rank % (MOST_ROWS + 1);
}

static inline uint64_t first_row(uint32_t rank)
{
    uint64_t first = 0;
    for (uint32_t i = 0; i < rank; i++)
        first += row_count(i);
    return first;
}

static inline int32_t cell_of(uint64_t row, size_t column, int64_t step)
{
    return (int32_t)(row * COLUMNS + column) + (int32_t)step * 100;
}

/* Sets the rows of a rank for a step, or returns true if they have these
 * values. */
static inline bool visit_grid(struct node_rank *r, int64_t step, bool set)
{
    bool is_so = true;
    for (uint32_t i = 0; i < row_count(r->rank); i++) {
        for (size_t k = 0; k < COLUMNS; k++) {
            int32_t cell = cell_of(first_row(r->rank) + i, k, step);
            is_so &= set || r->grid[i][k] == cell;
            r->grid[i][k] = set ? cell : r->grid[i][k];
        }
    }
    return is_so;
}

static inline void set_values(struct node_rank *r, int64_t step)
{
    r->step = step;
    for (size_t i = 0; i < value_count(r->rank); i++)
        r->values[i] = value_of(r->rank, step, i);
    visit_grid(r, step, true);
}

static inline bool has_values(struct node_rank *r)
{
    for (size_t i = 0; i < value_count(r->rank); i++)
        if (r->values[i] != value_of(r->rank, r->step, i))
            return false;
    return visit_grid(r, r->step, false);
}

static inline void add_grid(struct node_rank *r)
{
    const uint64_t start[] = { first_row(r->rank), 0 };
    varve_add_slice(r->root, "grid",
        varve_array(&r->grid[0][0], row_count(r->rank), COLUMNS),
        VARVE_SHAPE(first_row(nodes.count), COLUMNS), start);
}

static inline bool build_node(struct node_rank *r, const varve_comm *comm)
{
    char directory[64];
    uint32_t i = comm->rank;
    varve_manager_options options = nodes.options;
    *r = (struct node_rank){ .comm = comm, .rank = i };
    r->graph = vv_graph_new_in(&nodes.contexts[i]);
    r->root = varve_graph_root(r->graph);
    varve_add_variable(
        r->root, "values", varve_array(r->values, value_count(i)));
    varve_add_variable(r->root, "step", varve_scalar(&r->step));
    add_grid(r);
    set_values(r, -1);
    options.comm = comm;
    options.redundancy = &nodes.redundancy;
    snprintf(directory, sizeof directory, "node-%u/run", (unsigned)comm->node);
    r->manager =
        varve_manager_new(r->root, directory, &options, &nodes.errors[i]);
    return r->manager;
}

static inline void note_passed_over(struct node_rank *r)
{
    char *to = nodes.passed_over[r->rank];
    const char *line;
    *to = '\0';
    for (size_t i = 0; (line = varve_manager_skipped(r->manager, i)); i++)
        snprintf(to + strlen(to), 4096 - strlen(to), "%s\n", line);
}

/* Records a saved step: only ranks of one run come here, and all write the
 * same. */
static inline void note_step(int64_t *newest, int64_t step)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    *newest = step > *newest ? step : *newest;
    pthread_mutex_unlock(&lock);
}

static inline varve_status drain_node(struct node_rank *r, int64_t step)
{
    varve_level_state state;
    char *failure = nodes.failure[r->rank];
    if (!varve_manager_level_at(r->manager, 0, &state))
        return VARVE_OK;
    snprintf(failure, 300, "%s", state.failure ? state.failure : "");
    varve_status status =
        varve_manager_drain(r->manager, -1, &nodes.errors[r->rank]);
    if (!status)
        note_step(&nodes.drained, step);
    varve_manager_level_at(r->manager, 0, &state);
    nodes.left_out[r->rank] = state.left_out;
    return status;
}

static inline varve_status live(struct node_rank *r)
{
    varve_error *error = &nodes.errors[r->rank];
    varve_status status = VARVE_OK;
    if (!nodes.is_fresh) {
        status = varve_manager_resume(r->manager, error);
        note_passed_over(r);
        if (!status && !has_values(r))
            abort();
        nodes.steps[r->rank] = status ? -1 : r->step;
    }
    for (int64_t s = nodes.from; !status && s <= nodes.to; s++) {
        set_values(r, s);
        if (nodes.before_save)
            nodes.before_save(r->rank, s);
        status = varve_manager_save(r->manager, s, error);
        if (!status)
            note_step(&nodes.saved, s);
        if (!status && nodes.drains)
            status = drain_node(r, s);
    }
    return status;
}

static inline void note_warning(struct node_rank *r)
{
    if (varve_manager_wait(r->manager, NULL))
        return;
    const char *warning = varve_manager_warning(r->manager);
    snprintf(nodes.warnings[r->rank], 300, "%s", warning ? warning : "");
}

static inline void live_one(const varve_comm *comm, void *user)
{
    struct node_rank r;
    (void)user;
    nodes.errors[comm->rank] = (varve_error){ 0 };
    nodes.steps[comm->rank] = -1;
    nodes.got[comm->rank] = build_node(&r, comm)
                                ? live(&r)
                                : nodes.errors[comm->rank].status;
    if (!nodes.got[comm->rank])
        note_warning(&r);
    varve_manager_free(r.manager);
    varve_graph_free(r.graph);
}

/* Runs a life that loses its communicator after a number of calls. */
static inline long run_life_until(long calls)
{
    return thread_comm_run(nodes.count, nodes.share, calls, live_one, NULL);
}

/* Returns the status, which must be the same on all ranks. */
static inline varve_status run_life(void)
{
    run_life_until(-1);
    for (uint32_t i = 1; i < nodes.count; i++) {
        cr_assert_eq(nodes.got[i], nodes.got[0], "rank %u: %s", i,
            nodes.errors[i].message);
        cr_assert_str_eq(nodes.errors[i].message, nodes.errors[0].message);
        cr_assert_eq(nodes.steps[i], nodes.steps[0], "rank %u", i);
    }
    return nodes.got[0];
}

/* Saves steps without a resume. */
static inline varve_status save_steps(int64_t from, int64_t to)
{
    nodes.is_fresh = true;
    nodes.from = from;
    nodes.to = to;
    varve_status status = run_life();
    nodes.is_fresh = false;
    nodes.from = 1;
    nodes.to = 0;
    return status;
}

/* Resumes and saves further steps. */
static inline varve_status save_more_steps(int64_t from, int64_t to)
{
    nodes.from = from;
    nodes.to = to;
    varve_status status = run_life();
    nodes.from = 1;
    nodes.to = 0;
    return status;
}

/* Only resumes, and returns the step. */
static inline int64_t resume_all(void)
{
    nodes.from = 1;
    nodes.to = 0;
    cr_assert_eq(run_life(), VARVE_OK, "%s", nodes.errors[0].message);
    return nodes.steps[0];
}

/* Returns the number of files with this beginning and end of their paths. */
static inline size_t count_files(const char *beginning, const char *ending)
{
    size_t count = 0, tail = strlen(ending);
    for (size_t i = 0; i < memory_file_count(nodes.memory); i++) {
        const char *path = memory_file_path(nodes.memory, i);
        count += strncmp(path, beginning, strlen(beginning)) == 0 &&
                 strlen(path) >= tail &&
                 strcmp(path + strlen(path) - tail, ending) == 0;
    }
    return count;
}

static inline void lose_path(const char *path)
{
    const struct vv_system *system = memory_system(nodes.memory);
    char copy[256];
    snprintf(copy, sizeof copy, "%s", path);
    cr_assert_eq(
        system->remove(system->state, VV_WORKING_DIRECTORY, copy), 0);
}

static inline void lose_folders(uint32_t node)
{
    const struct vv_system *system = memory_system(nodes.memory);
    char path[64];
    for (uint32_t i = node * nodes.share; i < (node + 1) * nodes.share; i++) {
        snprintf(path, sizeof path, "node-%u/run/rank-%u", node, i);
        system->remove(system->state, VV_WORKING_DIRECTORY, path);
    }
    snprintf(path, sizeof path, "node-%u/run", node);
    system->remove(system->state, VV_WORKING_DIRECTORY, path);
    snprintf(path, sizeof path, "node-%u", node);
    system->remove(system->state, VV_WORKING_DIRECTORY, path);
}

static inline void lose_files(const char *beginning)
{
    for (size_t i = 0; i < memory_file_count(nodes.memory);) {
        const char *path = memory_file_path(nodes.memory, i);
        if (strncmp(path, beginning, strlen(beginning)) != 0)
            i++;
        else
            lose_path(path);
    }
}

/* Removes all files of a node. */
static inline void lose_node(uint32_t node)
{
    char beginning[32];
    snprintf(beginning, sizeof beginning, "node-%u/", (unsigned)node);
    lose_files(beginning);
    lose_folders(node);
}

static inline bool has_file(const char *path)
{
    size_t size;
    return memory_bytes(nodes.memory, path, &size) != NULL;
}

#endif
