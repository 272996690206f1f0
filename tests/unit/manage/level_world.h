/* level_world.h - Creates a manager with storage tiers over a memory system.
 * The copying threads can be stopped at a gate, or made to fail, while the
 * test's own thread continues.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LEVEL_WORLD_H
#define LEVEL_WORLD_H

#include <pthread.h>
#include <string.h>

#include "manage_world.h"
#include "system.h"

struct gate {
    struct vv_system system;
    const struct vv_system *under;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t main;
    bool is_closed;
    int arrived; /* number of threads that wait at the gate */
    int error;   /* error of creating files; 0: none */
    int64_t process;
};

static struct gate gate = { .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
    .process = 1 };

/* The first file that a copy creates is its temporary file. */
static inline int gate_create(void *state, int directory, const char *name)
{
    int error = 0;
    pthread_mutex_lock(&gate.lock);
    if (!pthread_equal(pthread_self(), gate.main)) {
        gate.arrived++;
        pthread_cond_broadcast(&gate.changed);
        while (gate.is_closed)
            pthread_cond_wait(&gate.changed, &gate.lock);
        gate.arrived--;
        error = gate.error;
    }
    pthread_mutex_unlock(&gate.lock);
    return error ? -error : gate.under->create_file(state, directory, name);
}

static inline int64_t gate_process(void *state, char *machine, size_t size)
{
    int64_t under = gate.under->process(state, machine, size);
    return gate.process == 1 ? under : gate.process;
}

static inline void gate_close(void)
{
    pthread_mutex_lock(&gate.lock);
    gate.is_closed = true;
    pthread_mutex_unlock(&gate.lock);
}

static inline void gate_open(void)
{
    pthread_mutex_lock(&gate.lock);
    gate.is_closed = false;
    pthread_cond_broadcast(&gate.changed);
    pthread_mutex_unlock(&gate.lock);
}

/* Waits until `count` copies wait at the gate. */
static inline void gate_await(int count)
{
    pthread_mutex_lock(&gate.lock);
    while (gate.arrived < count)
        pthread_cond_wait(&gate.changed, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
}

static inline void gate_refuse(int error)
{
    pthread_mutex_lock(&gate.lock);
    gate.error = error;
    pthread_mutex_unlock(&gate.lock);
}

/* Like world_begin, with the gate; ended by world_end. */
static inline void levels_begin(
    struct world *w, const varve_manager_options *options)
{
    w->may_warn = false;
    w->memory = memory_new();
    w->faulty = faulty_new(memory_system(w->memory));
    gate.main = pthread_self();
    gate.under = faulty_system(w->faulty);
    gate.system = *gate.under;
    gate.system.create_file = gate_create;
    gate.system.process = gate_process;
    w->context = test_context(&gate.system);
    world_start(w, options);
}

static inline void levels_drain(struct world *w)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_manager_drain(w->manager, -1, &error), error);
}

static inline varve_level_state level_state(struct world *w, size_t index)
{
    varve_level_state state;
    cr_assert(varve_manager_level_at(w->manager, index, &state));
    return state;
}

/* Returns true if a file exists. */
static inline bool is_there(struct world *w, const char *path)
{
    size_t size;
    return memory_bytes(w->memory, path, &size) != NULL;
}

static inline void damage(struct world *w, const char *path)
{
    size_t size;
    unsigned char *bytes = memory_bytes(w->memory, path, &size);
    cr_assert(bytes && size > 64);
    bytes[64] ^= 1; /* the first byte of the values */
}

/* Removes a directory and all files below it. */
static inline void remove_all(struct world *w, const char *directory)
{
    const struct vv_system *s = memory_system(w->memory);
    size_t size = strlen(directory);
    for (size_t i = memory_file_count(w->memory); i-- > 0;) {
        const char *path = memory_file_path(w->memory, i);
        if (strncmp(path, directory, size) == 0 && path[size] == '/')
            cr_assert_eq(
                s->remove(s->state, VV_WORKING_DIRECTORY, path), 0);
    }
    cr_assert_eq(s->remove(s->state, VV_WORKING_DIRECTORY, directory), 0);
}

static inline void resume(struct world *w)
{
    varve_error error = { 0 };
    w->value = -1;
    cr_assert_ok(varve_manager_resume(w->manager, &error), error);
}

#endif
