/* manage_world.h - Creates a graph and its manager over a disk in memory whose
 * calls can fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MANAGE_WORLD_H
#define MANAGE_WORLD_H

#include "graph.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"

struct world {
    struct memory *memory;
    struct faulty *faulty;
    struct vv_context context;
    varve_graph *graph;
    varve_node *root;
    float value;
    varve_manager *manager; /* of the directory "run" */
    bool may_warn;          /* a tier fails */
};

/* Creates a new graph and its manager, as in a restarted program. */
static inline void world_start(
    struct world *w, const varve_manager_options *options)
{
    varve_error error = { 0 };
    w->graph = vv_graph_new_in(&w->context);
    w->root = varve_graph_root(w->graph);
    w->value = 0;
    varve_add_variable(w->root, "value", varve_scalar(&w->value));
    w->manager = varve_manager_new(w->root, "run", options, &error);
    cr_assert(w->manager, "%s", error.message);
}

static inline void world_begin(
    struct world *w, const varve_manager_options *options)
{
    w->may_warn = false;
    w->memory = memory_new();
    w->faulty = faulty_new(memory_system(w->memory));
    w->context = test_context(faulty_system(w->faulty));
    world_start(w, options);
}

static inline void world_stop(struct world *w)
{
    varve_manager_free(w->manager);
    varve_graph_free(w->graph);
}

static inline void world_again(
    struct world *w, const varve_manager_options *options)
{
    world_stop(w);
    world_start(w, options);
}

static inline void world_end(struct world *w)
{
    world_stop(w);
    cr_assert_eq(memory_open_count(w->memory), 0);
    faulty_free(w->faulty);
    memory_free(w->memory);
}

/* Saves the step as the value. */
static inline void world_save(struct world *w, int64_t step)
{
    varve_error error;
    w->value = (float)step;
    cr_assert_ok(varve_manager_save(w->manager, step, &error), error);
    cr_assert(w->may_warn || !varve_manager_warning(w->manager), "%s",
        varve_manager_warning(w->manager));
}

#endif
