/* life.h - Declares one life of a program of several processes: it resumes,
 * takes some steps, saves, and ends or is killed. Saves are copied to a second
 * tier; a life that ends normally waits for the copies.
 *
 * Each attempted and each reported save is recorded next to the checkpoints.
 * The next life must find a step that is not older than the last reported one,
 * with the recorded bits. If the result does not depend on the number of ranks,
 * it must also equal that of a single uninterrupted rank.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIVES_LIFE_H
#define LIVES_LIFE_H

#include <inttypes.h>

#include "world.h"

enum { LIFE_ENDED, LIFE_DISCONNECTED, LIFE_WRONG };

/* The folder of the first tier, which may be lost once its copies are
 * complete. */
#define LIVES_NEAR "near"

/* The subfolder of each rank if each node has its own disk. Then there is no
 * second tier, and any one of these folders may be lost. */
#define LIVES_NODE LIVES_NEAR "/rank-%" PRIu32

struct plan {
    const struct world *world;
    const char *directory;
    uint64_t seed;   /* selects the save options */
    int64_t steps;   /* steps until it ends */
    bool on_nodes;
    /* number of the communicator call at which this rank is killed; -1:
     * never */
    int64_t dies_at;
    /* expected state at each step from 0; NULL: computed by the life */
    const uint64_t *expected;
};

int live(const varve_comm *comm, const struct plan *plan);

/* Returns the states of a single uninterrupted rank up to a step. NULL if out
 * of memory. */
uint64_t *live_unbroken(const struct world *world, int64_t steps);

#endif
