/* world.h - programs of many processes whose state is one, however many there
 * are: what lives are led by.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIVES_WORLD_H
#define LIVES_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <varve/comm.h>
#include <varve/graph.h>

enum { MOST_RANKS = 8 };

/* All functions but `free` are called by all ranks together. */
struct world {
    const char *name;
    bool is_exact; /* any number of ranks comes to the same bits */
    /* At its beginning, and adds its state to the graph. NULL: no memory. */
    void *(*make)(const varve_comm *comm, varve_node *root);
    varve_status (*step)(void *self);
    /* All of its state in one number, the same everywhere. */
    varve_status (*sum)(void *self, uint64_t *sum);
    /* How good it is; the less the better. May be NULL. */
    double (*loss)(void *self);
    void (*free)(void *self);
};

extern const struct world grid, particles, training, training_by_rank;

/* That of a name, or NULL. */
const struct world *find_world(const char *name);

/* Everybody gets what all have, in the order of ranks; `sizes` are in bytes. */
varve_status exchange(const varve_comm *comm, const void *mine, void *all,
    const uint64_t *sizes);

enum { SUM_OF_NOTHING = 5381 };

uint64_t sum_bytes(uint64_t sum, const void *bytes, size_t size);

#endif
