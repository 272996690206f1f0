/* world.h - Declares parallel programs whose state does not depend on the
 * number of processes, for the tests of lives.
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

/* All functions except `free` are collective. */
struct world {
    const char *name;
    bool is_exact; /* the result is the same bits for any number of ranks */
    /* Creates the program and adds its state to the graph. NULL if out of
     * memory. */
    void *(*make)(const varve_comm *comm, varve_node *root);
    varve_status (*step)(void *self);
    /* Computes a checksum of the whole state, equal on all ranks. */
    varve_status (*sum)(void *self, uint64_t *sum);
    /* Returns the quality; smaller is better. May be NULL. */
    double (*loss)(void *self);
    void (*free)(void *self);
};

extern const struct world grid, particles, training, training_by_rank;

/* Returns the program with this name, or NULL. */
const struct world *find_world(const char *name);

/* Gathers the data of all ranks on each, in rank order; `sizes` are in
 * bytes. */
varve_status exchange(const varve_comm *comm, const void *mine, void *all,
    const uint64_t *sizes);

enum { SUM_OF_NOTHING = 5381 };

uint64_t sum_bytes(uint64_t sum, const void *bytes, size_t size);

#endif
