/* world.h - Simulates a machine in memory with a model, for one call that is
 * made to fail in every possible way.
 *
 * A scenario defines how the world is set up, which call is made, and what must
 * hold after it. sweep.h injects faults into each of its allocations and system
 * calls, in a new world each time.
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
    bool is_unknown; /* the call reported that its outcome is unknown */
    /* a node could not be added: the graph keeps this error, and a second
     * call cannot fix it */
    bool is_stuck;
};

struct scenario {
    const char *name;
    const char *file;  /* the beginning of the path in a message */
    const char *path;  /* file that exists before the call; NULL: none */
    const char *made;  /* file that the call creates; NULL: none */
    bool is_empty;     /* nothing is built before the call */
    bool may_half;     /* VARVE_PARTIALLY_RESTORED is allowed */
    void (*prepare)(struct world *world); /* NULL: nothing more */
    varve_status (*act)(struct world *world, varve_error *error);
    /* Called after success, at the first or second attempt. NULL: all values
     * must be those before the call. */
    void (*check)(struct world *world);
};

/* Creates the world of a scenario, with or without large values. world_end
 * frees it and asserts that no memory or descriptor is leaked. */
void world_begin(
    struct world *world, const struct scenario *scenario, bool is_big);
void world_end(struct world *world, const char *where);

/* Checks the disk and the program according to the status, then that a second
 * call without faults succeeds. Removes all faults. */
void world_check(struct world *world, varve_status status,
    const varve_error *error, const char *where);

#endif
