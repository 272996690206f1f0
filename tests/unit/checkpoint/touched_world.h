/* touched_world.h - Creates ranks that keep their graphs between saves and
 * touch what they change: replicated values, rows, and rank-local values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_TOUCHED_WORLD_H
#define UNIT_TOUCHED_WORLD_H

#include "worlds.h"

#include <varve/rank_local.h>
#include <varve/reader.h>
#include <varve/slice.h>
#include <varve/collective.h>

#include "reader.h"
#include <pthread.h>

#include "support/thread_comm.h"
#include "system.h"

enum { KEEPERS = 3, COMMON = 900000, ROW = 1024, ALL_ROWS = 1200, OWN = 40000 };

/* The objects of a rank. */
struct keeper {
    varve_graph *graph;
    varve_node *root;
    varve_node *common, *rows, *own;
    float common_values[COMMON];
    float row_values[ALL_ROWS / KEEPERS][ROW];
    float own_values[OWN];
};

static struct {
    struct keeper *all[KEEPERS];
    varve_write_options options;
    bool is_async;
    const char *path;
    varve_status statuses[KEEPERS];
    varve_error errors[KEEPERS];
    pthread_t ranks;
    pthread_barrier_t turn; /* of the ranks and the test */
    bool is_over;
} keepers;

static inline void make_keeper(const varve_comm *comm, void *user)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const bool *with_private = user;
    struct keeper *k = calloc(1, sizeof *k);
    uint64_t start[] = { (uint64_t)comm->rank * (ALL_ROWS / KEEPERS), 0 };
    pthread_mutex_lock(&lock);
    k->root = new_root();
    pthread_mutex_unlock(&lock);
    k->graph = varve_node_graph(k->root);
    k->common = varve_add_variable(
        k->root, "common", varve_array(k->common_values, COMMON));
    k->rows = varve_add_slice(k->root, "rows",
        varve_array(k->row_values[0], ALL_ROWS / KEEPERS, ROW),
        VARVE_SHAPE(ALL_ROWS, ROW), start);
    if (*with_private)
        k->own = varve_add_variable(
            varve_add_rank_local(k->root, "worker", comm, NULL), "own",
            varve_array(k->own_values, OWN));
    keepers.all[comm->rank] = k;
}

static inline void save_keeper(const varve_comm *comm, void *user)
{
    varve_node *root = keepers.all[comm->rank]->root;
    varve_error *error = &keepers.errors[comm->rank];
    varve_status *status = &keepers.statuses[comm->rank];
    (void)user;
    *error = (varve_error){ 0 };
    if (!keepers.is_async) {
        *status = varve_write_all(
            comm, root, keepers.path, &keepers.options, error);
        return;
    }
    varve_job *job = varve_write_all_async(
        comm, root, keepers.path, &keepers.options, error);
    *status = job ? varve_job_wait(job, error) : error->status;
    varve_job_free(job);
}

/* A graph with asynchronous saves keeps its communicator, which must exist as
 * long as the graph. */
static inline void serve_keeper(const varve_comm *comm, void *user)
{
    make_keeper(comm, user);
    pthread_barrier_wait(&keepers.turn);
    for (;;) {
        pthread_barrier_wait(&keepers.turn);
        if (keepers.is_over)
            break;
        save_keeper(comm, NULL);
        pthread_barrier_wait(&keepers.turn);
    }
    varve_graph_free(keepers.all[comm->rank]->graph);
    free(keepers.all[comm->rank]);
}

static inline void *run_keepers(void *with_private)
{
    thread_comm_run(KEEPERS, 2, -1, serve_keeper, with_private);
    return NULL;
}

static inline void begin_keepers(bool with_private)
{
    static bool is_wanted;
    is_wanted = with_private;
    begin_world();
    memset(&keepers, 0, sizeof keepers);
    keepers.path = FILE_NAME;
    keepers.options = (varve_write_options){ .incremental = true,
        .increment.only_dirty = true };
    cr_assert_not(pthread_barrier_init(&keepers.turn, NULL, KEEPERS + 1));
    cr_assert_not(
        pthread_create(&keepers.ranks, NULL, run_keepers, &is_wanted));
    pthread_barrier_wait(&keepers.turn);
}

static inline void end_keepers(void)
{
    keepers.is_over = true;
    pthread_barrier_wait(&keepers.turn);
    pthread_join(keepers.ranks, NULL);
    pthread_barrier_destroy(&keepers.turn);
    end_world();
}

/* Saves on all ranks and returns their status, which must be the same. */
static inline varve_status save_keepers(void)
{
    pthread_barrier_wait(&keepers.turn);
    pthread_barrier_wait(&keepers.turn);
    for (int i = 1; i < KEEPERS; i++) {
        cr_assert_eq(keepers.statuses[i], keepers.statuses[0]);
        cr_assert_str_eq(
            keepers.errors[i].message, keepers.errors[0].message);
    }
    return keepers.statuses[0];
}

static inline void saved_keepers(void)
{
    cr_assert_eq(save_keepers(), VARVE_OK, "%s", keepers.errors[0].message);
}

static inline void failed_keepers(const char *message)
{
    cr_assert_eq(save_keepers(), VARVE_MISUSE, "expected: %s", message);
    cr_assert(strstr(keepers.errors[0].message, message), "%s",
        keepers.errors[0].message);
}

static inline varve_reader *open_saved(void)
{
    varve_error error = { 0 };
    varve_reader *reader =
        vv_reader_open_in(&world.context, keepers.path, &error);
    cr_assert(reader, "%s", error.message);
    return reader;
}

/* Returns the saved values of a variable, to be freed. */
static inline float *read_saved(varve_reader *reader, const char *path)
{
    varve_error error = { 0 };
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    float *values = malloc((size_t)node.size);
    cr_assert_ok(varve_reader_read(
                     reader, node.id, values, (size_t)node.size, &error),
        error);
    return values;
}

/* Verifies a checkpoint and returns a saved float. */
static inline float saved_at(const char *path, size_t number)
{
    varve_error error = { 0 };
    varve_reader *reader = open_saved();
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    float *values = read_saved(reader, path);
    float value = values[number];
    free(values);
    varve_reader_free(reader);
    return value;
}

static inline void set_common(size_t number, float value)
{
    for (int i = 0; i < KEEPERS; i++)
        keepers.all[i]->common_values[number] = value;
}

static inline void touch_common(void)
{
    for (int i = 0; i < KEEPERS; i++)
        varve_mark_dirty(keepers.all[i]->common);
}

static inline void remove_file(const char *path)
{
    cr_assert_eq(world.context.system->remove(world.context.system->state,
                     VV_WORKING_DIRECTORY, path),
        0);
}

#endif
