/* world.h - a machine in memory with a model on it, for one call that is made
 * to fail in every way it can.
 *
 * A scenario says how the world is set up, which call is made, and what must
 * hold after it. sweep.h breaks the call at each of its allocations and at each
 * of its calls to the system, in a new world every time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAULT_WORLD_H
#define FAULT_WORLD_H

#include "model/everything.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"

enum { OLD = 1, NOW = 2 }; /* seeds: in the older file, in the program */

struct world {
    const struct scenario *scenario;
    struct memory *memory;
    struct faulty *faulty;
    struct vv_context context;
    varve_graph *graph;
    struct everything model;
    uint64_t before; /* digest of the program's values */

    varve_restoration *restoration;
    varve_snapshot *snapshot;
    bool is_unknown; /* the call said so of its outcome */
    bool is_stuck; /* an addition could not be made: the graph says so for ever,
                      and no second call can mend that */
};

struct scenario {
    const char *name;
    const char *file;  /* with what the path in a message begins */
    const char *path;  /* the old file is there before the call; NULL: none */
    const char *made;  /* a file that the call makes; NULL: none */
    bool is_empty;     /* nothing is built before the call */
    bool may_half;     /* VARVE_PARTIALLY_RESTORED is allowed */
    void (*prepare)(struct world *world); /* NULL: nothing more */
    varve_status (*act)(struct world *world, varve_error *error);
    /* After success, at once or at the second try; NULL: all values are those
     * of the program before the call. */
    void (*check)(struct world *world);
};

/* A new world of a scenario, with or without large values. world_end frees it,
 * and asserts that it is the last thing that was to be freed or closed. */
void world_begin(
    struct world *world, const struct scenario *scenario, bool is_big);
void world_end(struct world *world, const char *where);

/* What must hold after the call, by its status: on disk, in the program, and
 * when it is made again without a fault. Takes all faults away. */
void world_check(struct world *world, varve_status status,
    const varve_error *error, const char *where);

#endif
