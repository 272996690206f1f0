/* ranks.h - Declares the graphs of several ranks for one shape: replicated
 * nodes, and slices of some values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_RANKS_H
#define MIX_RANKS_H

#include "mix/mix.h"

enum { MIX_RANKS = 3 }; /* maximum */

struct mix_rank_value {
    struct mix_value value; /* first member: saved and loaded by states */
    double memory[2 * MIX_NUMBERS];
    bool is_slice;
    uint8_t start;
};

struct mix_rank {
    varve_graph *graph;
    varve_node *nodes[MIX_NODES];
    struct mix_rank_value values[MIX_NODES];
    varve_status status; /* result of its last call */
    varve_error error;
};

/* A shape divided among ranks: each rank has some rows of those nodes of `cut`
 * that can be slices. */
struct mix_cut {
    struct mix_shape shape;
    mix_set cut;
    uint8_t size;      /* number of ranks */
    bool is_backwards; /* the last rank has the first rows */
};
struct mix_cut mix_cut_of(const struct mix_shape *shape, uint8_t root,
    uint8_t size, uint8_t how);

/* Builds the graph of a rank. If `has_values` is false, its values differ from
 * those of every file. */
void mix_rank_begin(struct mix *m, struct mix_rank *rank,
    const struct mix_cut *cut, uint8_t number, bool has_values);
void mix_rank_end(struct mix_rank *rank);

/* Sets values that occur in no file. */
void mix_rank_change(struct mix_rank *rank, const struct mix_cut *cut);

/* Returns true if the rank has all saved values of a file with the same
 * structure and its previous values elsewhere (`is_restored`), or only its
 * previous values. */
bool mix_rank_holds(const struct mix_rank *rank,
    const struct mix_shape *shape, bool is_restored);

#endif
