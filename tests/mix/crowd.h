/* crowd.h - Declares processes that save together: replicated and sharded
 * values, rank-local values, and elements that migrate between processes. All
 * values follow from the current step.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_CROWD_H
#define MIX_CROWD_H

#include <varve/comm.h>
#include <varve/rank_local.h>

#include "mix/mix.h"

enum {
    MIX_CROWD_ROWS = 7,
    MIX_OWN = 3,
    MIX_THINGS = 11 /* exceeds the number at any step */
};

/* The last two bits of a step contain the number of processes that reached
 * it. */
int64_t mix_crowd_step(struct mix *m, uint8_t size);
uint8_t mix_crowd_size(int64_t step);

struct mix_thing {
    int32_t id;
    double at;
};

struct mix_member {
    uint32_t rank, size;
    bool has_owner;     /* things have an owner function */
    enum mix_fold {     /* how rank-local values are merged: */
        MIX_FOLD_NONE,  /* no merge callback */
        MIX_FOLD_DROPS, /* dropped */
        MIX_FOLD_SUMS,  /* merged if the rank count differs */
        MIX_FOLD_ALWAYS /* merged even if it is the same */
    } fold;
    varve_graph *graph;
    int64_t step;
    int32_t rows[MIX_CROWD_ROWS]; /* its rows */
    int32_t own[MIX_OWN];
    int32_t odd; /* only odd ranks have it */
    struct mix_thing things[MIX_THINGS];
    size_t hdf5_item_count;
};

/* Builds the graph of a process with its values at a step. The address of the
 * member must not change until the end. */
void mix_member_begin(struct mix *m, struct mix_member *member,
    const varve_comm *comm, int64_t step);
void mix_member_end(struct mix_member *member);

/* Sets the values of a step. */
void mix_member_set(struct mix_member *member, int64_t step);

/* Returns true if the member has the values of a step. */
bool mix_member_is_at(const struct mix_member *member, int64_t step);
/* Returns true if the member has the values that result from restoring the
 * checkpoint of `step`, saved by the same number of ranks or another one, over
 * those of `before`. */
bool mix_member_has_got(
    const struct mix_member *member, int64_t step, int64_t before);

/* Returns true if members like this one can restore a checkpoint of `saved_by`
 * ranks. */
bool mix_member_fits(const struct mix_member *member, uint8_t saved_by);

#endif
