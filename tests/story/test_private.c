/* test_private.c - Tests rank-local values: each process gets its own back, and
 * with another number of processes the program decides.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>

#include <varve/rank_local.h>
#include <varve/reader.h>
#include <varve/collective.h>

#include "support/thread_comm.h"

enum { SAVED_BY = 4 };

/* A process with a count and, at odd ranks, a number too. */
struct worker {
    uint32_t rank, ranks;
    int64_t step; /* equal on all ranks */
    int64_t count;
    float number;
};

/* [fold] */
/* Adds the counts of old ranks whose number modulo the number of ranks is this
 * rank. */
static varve_status fold_counts(void *user, varve_node *mine,
    varve_reader *saved, const char *path, size_t count, varve_error *error)
{
    struct worker *w = user;
    (void)mine;
    w->count = 0;
    for (size_t i = w->rank; i < count; i += w->ranks) {
        char name[64];
        varve_saved_node node;
        int64_t theirs;
        snprintf(name, sizeof name, "%s/%zu/count", path, i);
        if (!varve_reader_find(saved, name, &node))
            return VARVE_NOT_FOUND;
        varve_status status = varve_reader_read(
            saved, node.id, &theirs, sizeof theirs, error);
        if (status)
            return status;
        w->count += theirs;
    }
    return VARVE_OK;
}
/* [/fold] */

static varve_graph *build(
    struct worker *w, const varve_comm *comm, varve_rank_local_options options)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    options.merge_user = w;
    w->rank = comm->rank;
    w->ranks = comm->size;
    varve_add_variable(root, "step", varve_scalar(&w->step));
    varve_node *mine = varve_add_rank_local(root, "worker", comm, &options);
    varve_add_variable(mine, "count", varve_scalar(&w->count));
    if (comm->rank % 2 == 1)
        varve_add_variable(mine, "number", varve_scalar(&w->number));
    return graph;
}

static void save(const varve_comm *comm, void *user)
{
    struct worker w = { .step = 9, .count = 1 << comm->rank, .number = 0.5f };
    varve_graph *graph = build(&w, comm, (varve_rank_local_options){ 0 });
    varve_status *status = user;
    status[comm->rank] = varve_write_all(comm, varve_graph_root(graph),
        test_path("p"), &(varve_write_options){ .no_sync = true }, NULL);
    varve_graph_free(graph);
}

static void save_all(void)
{
    varve_status status[SAVED_BY];
    thread_comm_run(SAVED_BY, 0, -1, save, status);
    for (int i = 0; i < SAVED_BY; i++)
        cr_assert_eq(status[i], VARVE_OK);
}

struct reading {
    varve_rank_local_options options;
    struct worker workers[SAVED_BY];
    varve_error errors[SAVED_BY];
};

static void restore(const varve_comm *comm, void *user)
{
    struct reading *reading = user;
    struct worker *w = &reading->workers[comm->rank];
    varve_error *error = &reading->errors[comm->rank];
    *w = (struct worker){ .count = -1 };
    varve_graph *graph = build(w, comm, reading->options);
    varve_restoration *r = varve_read_all(
        comm, varve_graph_root(graph), test_path("p"), NULL, error);
    error->status = r ? varve_assert_consumed(r, error) : error->status;
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(private, is_restored_by_the_same_number_of_processes)
{
    struct reading reading = { .options = { .drop = false } };
    save_all();
    thread_comm_run(SAVED_BY, 0, -1, restore, &reading);
    for (int i = 0; i < SAVED_BY; i++) {
        cr_assert_eq(reading.errors[i].status, VARVE_OK, "%s",
            reading.errors[i].message);
        cr_assert_eq(reading.workers[i].count, 1 << i);
        cr_assert_eq(reading.workers[i].number == 0.5f, i % 2 == 1);
    }
}

TEST(private, is_refused_dropped_or_reduced_with_another_number)
{
    static const struct {
        varve_rank_local_options options;
        varve_status status;
        int64_t counts[3];
    } policies[] = {
        { { .drop = false }, VARVE_MISMATCH, { -1, -1, -1 } },
        { { .drop = true }, VARVE_OK, { -1, -1, -1 } },
        { { .merge = fold_counts }, VARVE_OK, { 1 + 8, 2, 4 } },
    };
    save_all();
    for (int p = 0; p < 3; p++) {
        struct reading reading = { .options = policies[p].options };
        thread_comm_run(3, 0, -1, restore, &reading);
        for (int i = 0; i < 3; i++) {
            cr_assert_eq(reading.errors[i].status, policies[p].status, "%s",
                reading.errors[i].message);
            cr_assert_eq(reading.workers[i].count, policies[p].counts[i]);
            cr_assert_eq(
                reading.workers[i].step, policies[p].status ? 0 : 9);
        }
    }
}

TEST(private, is_a_plain_subtree_for_a_reader)
{
    varve_error error = { 0 };
    varve_saved_node node;
    int64_t count;
    save_all();
    varve_reader *reader = varve_reader_open(test_path("p"), NULL, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, "worker/3/count", &node));
    cr_assert_ok(
        varve_reader_read(reader, node.id, &count, sizeof count, &error),
        error);
    cr_assert_eq(count, 8);
    cr_assert(varve_reader_find(reader, "worker/3/number", &node));
    cr_assert_not(varve_reader_find(reader, "worker/2/number", &node));
    varve_reader_free(reader);
}
