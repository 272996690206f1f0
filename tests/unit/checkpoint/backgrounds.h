/* backgrounds.h - Creates a graph on a disk whose syncs wait at a gate, so that
 * asynchronous saves are pending as long as a test needs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_BACKGROUNDS_H
#define UNIT_BACKGROUNDS_H

#include "worlds.h"

#include <errno.h>
#include <pthread.h>

#include <varve/job.h>

#include "system.h"

enum { MANY = 3000 }; /* number of floats of a large value */

/* Each sync of a file waits at the gate. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_closed;
    int fails;       /* error of all syncs from now on; 0: none */
    bool no_threads; /* threads cannot be started */
    int waiting;     /* number of syncs that wait at the gate */
    const struct vv_system *under;
    struct vv_system system;
    varve_node *root;
    varve_node *nodes[2];
    float values[2][MANY];
    varve_string string;
} gate = { .mutex = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER };

static int sync_at_gate(void *state, int descriptor)
{
    pthread_mutex_lock(&gate.mutex);
    gate.waiting++;
    pthread_cond_broadcast(&gate.changed);
    while (gate.is_closed)
        pthread_cond_wait(&gate.changed, &gate.mutex);
    gate.waiting--;
    int fails = gate.fails;
    pthread_mutex_unlock(&gate.mutex);
    return fails ? -fails : gate.under->sync(state, descriptor);
}

static int start_if_allowed(void *state, void *(*function)(void *),
    void *argument, uintptr_t *handle)
{
    return gate.no_threads
               ? -EAGAIN
               : gate.under->start_thread(state, function, argument, handle);
}

static inline void close_gate(void)
{
    pthread_mutex_lock(&gate.mutex);
    gate.is_closed = true;
    pthread_mutex_unlock(&gate.mutex);
}

static inline void open_gate(int fails)
{
    pthread_mutex_lock(&gate.mutex);
    gate.is_closed = false;
    gate.fails = fails;
    pthread_cond_broadcast(&gate.changed);
    pthread_mutex_unlock(&gate.mutex);
}

/* Waits until a sync waits at the gate. */
static inline void wait_at_gate(void)
{
    pthread_mutex_lock(&gate.mutex);
    while (!gate.waiting)
        pthread_cond_wait(&gate.changed, &gate.mutex);
    pthread_mutex_unlock(&gate.mutex);
}

static inline void set_values(float value)
{
    for (int i = 0; i < MANY; i++) {
        gate.values[0][i] = value;
        gate.values[1][i] = value + 0.5f;
    }
}

static inline void begin_gate(void)
{
    begin_world();
    gate.under = memory_system(world.memory);
    gate.system = *gate.under;
    gate.system.sync = sync_at_gate;
    gate.system.start_thread = start_if_allowed;
    gate.no_threads = false;
    gate.fails = 0;
    world.context.system = &gate.system;
    gate.root = new_root();
    gate.nodes[0] = varve_add_variable(
        gate.root, "a", varve_array(gate.values[0], MANY));
    gate.nodes[1] = varve_add_variable(
        gate.root, "b", varve_array(gate.values[1], MANY));
    set_values(1);
}

static inline void end_gate(void)
{
    open_gate(0);
    free_root(gate.root);
    end_world();
}

static inline varve_job *begin_write(
    const char *path, const varve_write_options *options)
{
    varve_error error = { 0 };
    varve_job *job = varve_write_async(gate.root, path, options, &error);
    cr_assert(job, "%s", error.message);
    return job;
}

static inline void finish_job(varve_job *job)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_job_wait(job, &error), error);
    varve_job_free(job);
}

/* Checks that a file contains the values of set_values. */
static inline void check_file(const char *path, float value)
{
    static float read[2][MANY];
    varve_error error = { 0 };
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_array(read[0], MANY));
    varve_add_variable(root, "b", varve_array(read[1], MANY));
    varve_restoration *r = varve_read(root, path, NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_restoration_free(r);
    free_root(root);
    for (int i = 0; i < MANY; i++) {
        cr_assert_eq(read[0][i], value, "%s: %g, not %g", path,
            (double)read[0][i], (double)value);
        cr_assert_eq(read[1][i], value + 0.5f);
    }
}

#endif
