/* life.h - one life of a program of many processes: it resumes, takes some
 * steps, saves, and ends or is killed. What it saves is copied to a second
 * level; a life that ends by itself waits for that.
 *
 * What it means to save, and what was reported saved, is noted beside the
 * checkpoints, so that the next life knows what it has to find: a step no older
 * than the last that was reported, with the bits that were meant; and, where
 * the number of ranks is of no account, with those of one rank that never
 * stopped.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIVES_LIFE_H
#define LIVES_LIFE_H

#include <inttypes.h>

#include "world.h"

enum { LIFE_ENDED, LIFE_DISCONNECTED, LIFE_WRONG };

/* The folder of the first level, which may be lost once that is so. */
#define LIVES_NEAR "near"

/* In it that of each rank, where each is on a node with a disk of its own: then
 * there is no second level, and any one of these may be lost. */
#define LIVES_NODE LIVES_NEAR "/rank-%" PRIu32

struct plan {
    const struct world *world;
    const char *directory;
    uint64_t seed;   /* of how it saves */
    int64_t steps;   /* after which it ends */
    bool on_nodes;
    int64_t dies_at; /* this rank: the call of the communicator; -1: never */
    const uint64_t *expected; /* the state at each step, from 0 on; NULL: it
                                 comes to them itself */
};

int live(const varve_comm *comm, const struct plan *plan);

/* The states of one rank that never stops, up to a step. NULL: no memory. */
uint64_t *live_unbroken(const struct world *world, int64_t steps);

#endif
