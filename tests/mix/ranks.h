/* ranks.h - the graphs that many processes have of a shape: alike, and of some
 * values each has a part.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_RANKS_H
#define MIX_RANKS_H

#include "mix/mix.h"

enum { MIX_RANKS = 3 }; /* at most */

struct mix_rank_value {
    struct mix_value value; /* first: what a state saves and loads */
    double memory[2 * MIX_NUMBERS];
    bool is_slice;
    uint8_t start;
};

struct mix_rank {
    varve_graph *graph;
    varve_node *nodes[MIX_NODES];
    struct mix_rank_value values[MIX_NODES];
    varve_status status; /* of what it did */
    varve_error error;
};

/* What a program of many processes would have that looks like a graph from a
 * root on: of the nodes of `cut` that can be slices each rank has some. */
struct mix_cut {
    struct mix_shape shape;
    mix_set cut;
    uint8_t size;      /* ranks */
    bool is_backwards; /* the last rank has the first rows */
};
struct mix_cut mix_cut_of(const struct mix_shape *shape, uint8_t root,
    uint8_t size, uint8_t how);

/* Builds the graph of a rank; without values it has others than any file. */
void mix_rank_begin(struct mix *m, struct mix_rank *rank,
    const struct mix_cut *cut, uint8_t number, bool has_values);
void mix_rank_end(struct mix_rank *rank);

/* From now on it has values that are in no file. */
void mix_rank_change(struct mix_rank *rank, const struct mix_cut *cut);

/* Whether it has of a file, which looks like its graph, all that is saved, and
 * of everything else what it had; or not of anything. */
bool mix_rank_holds(const struct mix_rank *rank,
    const struct mix_shape *shape, bool is_restored);

#endif
