/* ranks.h - Creates a program of several processes over one disk in memory, as
 * threads. Each rank has its own graph with a slice and a step, and records its
 * results, which must be the same on all ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_RANKS_H
#define UNIT_RANKS_H

#include "support/test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "support/thread_comm.h"

enum { MOST_RANKS = 8, MOST_NOTES = 20000 };

/* A rank, which has a range of `total` numbers i + step. */
struct rank {
    const varve_comm *comm;
    uint32_t number;
    varve_graph *graph;
    varve_node *root;
    float *mine;
    uint64_t first, count;
    int64_t step;
    varve_manager *manager;
    varve_saver *saver;
    varve_error error;
    char *notes;
    size_t noted;
};

typedef void rank_script(struct rank *r, const void *user);

static struct {
    struct memory *memory;
    struct vv_context context;
    uint64_t total;
    char *notes[MOST_RANKS]; /* of the last run */
    uint32_t count;
} disk;

static inline void begin_disk(void)
{
    disk.memory = memory_new();
    disk.context = test_context(memory_system(disk.memory));
    disk.total = 10;
}

static inline void forget_notes(void)
{
    for (uint32_t i = 0; i < disk.count; i++)
        free(disk.notes[i]);
    disk.count = 0;
}

static inline void end_disk(void)
{
    forget_notes();
    cr_assert_eq(memory_open_count(disk.memory), 0);
    memory_free(disk.memory);
}

__attribute__((format(printf, 2, 3))) static inline void note(
    struct rank *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(r->notes + r->noted, MOST_NOTES - r->noted, format,
        arguments);
    va_end(arguments);
    if (size > 0 && r->noted + (size_t)size < MOST_NOTES)
        r->noted += (size_t)size;
}

static inline void note_status(
    struct rank *r, const char *what, varve_status status)
{
    note(r, "%s: %s%s%s\n", what, varve_status_name(status),
        status ? ": " : "", status ? r->error.message : "");
}

static inline void set_values(struct rank *r, int64_t step)
{
    r->step = step;
    for (uint64_t i = 0; i < r->count; i++)
        r->mine[i] = (float)(r->first + i) + (float)step;
}

static inline bool has_values(const struct rank *r)
{
    bool good = true;
    for (uint64_t i = 0; i < r->count; i++)
        good &= r->mine[i] == (float)(r->first + i) + (float)r->step;
    return good;
}

struct rank_run {
    rank_script *script;
    const void *user;
};

static inline void build_rank(
    struct rank *r, const varve_comm *comm, uint32_t number, uint32_t size)
{
    *r = (struct rank){ .comm = comm, .number = number };
    r->first = disk.total * number / size;
    r->count = disk.total * (number + 1) / size - r->first;
    r->mine = calloc(r->count + 1, sizeof *r->mine);
    r->notes = calloc(1, MOST_NOTES);
    r->graph = vv_graph_new_in(&disk.context);
    r->root = varve_graph_root(r->graph);
    varve_add_slice(r->root, "all", varve_array(r->mine, r->count),
        VARVE_SHAPE(disk.total), &r->first);
    varve_add_variable(r->root, "step", varve_scalar(&r->step));
}

static inline void end_rank(struct rank *r)
{
    varve_manager_free(r->manager);
    varve_saver_free(r->saver);
    varve_graph_free(r->graph);
    free(r->mine);
    disk.notes[r->number] = r->notes;
}

static inline void run_rank(const varve_comm *comm, void *user)
{
    const struct rank_run *run = user;
    struct rank r;
    build_rank(&r, comm, comm->rank, comm->size);
    run->script(&r, run->user);
    end_rank(&r);
}

/* Runs until `calls` calls of the communicator have succeeded. */
static inline long run_ranks_until(
    uint32_t size, long calls, rank_script *script, const void *user)
{
    struct rank_run run = { script, user };
    forget_notes();
    disk.count = size;
    return thread_comm_run(size, 2, calls, run_rank, &run);
}

/* Returns the recorded results, which must be the same on all ranks. */
static inline const char *run_ranks(
    uint32_t size, rank_script *script, const void *user)
{
    run_ranks_until(size, -1, script, user);
    for (uint32_t i = 1; i < size; i++)
        cr_assert_str_eq(disk.notes[i], disk.notes[0],
            "rank %u:\n%s\nrank 0:\n%s", i, disk.notes[i], disk.notes[0]);
    return disk.notes[0];
}

/* The same in one process without a communicator. */
static inline const char *run_alone(rank_script *script, const void *user)
{
    struct rank r;
    forget_notes();
    disk.count = 1;
    build_rank(&r, NULL, 0, 1);
    script(&r, user);
    end_rank(&r);
    return disk.notes[0];
}

#endif
