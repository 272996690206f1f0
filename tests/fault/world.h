/* world.h - a machine in memory with a model on it, for one call that is made
 * to fail in every way it can.
 *
 * A scenario says how the world is set up, which call is made, and what must
 * hold after it. try_all then breaks the call at each of its allocations and at
 * each of its calls to the system, in a new world every time.
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
    bool is_stuck; /* an addition could not be made: the graph says so for ever,
                      and no second call can mend that */
};

struct scenario {
    const char *name;
    const char *file;  /* that the call is about: stands in messages */
    const char *path;  /* the old file is there before the call; NULL: none */
    const char *made;  /* a file that the call makes; NULL: none */
    bool is_empty;     /* nothing is built before the call */
    bool may_half;     /* VARVE_HALF_RESTORED is allowed */
    void (*prepare)(struct world *world); /* NULL: nothing more */
    varve_status (*act)(struct world *world, varve_error *error);
    /* After success, at once or at the second try; NULL: all values are those
     * of the program before the call. */
    void (*check)(struct world *world);
};

/* The bytes of the files that a scenario begins with: the model under OLD, as
 * varve_save writes it. */
const unsigned char *old_file(size_t *size);

void try_all(const struct scenario *scenario);

#endif
