/* crowd.h - processes that have more than parts of one graph: what is private
 * to each, and things that move between them. All that they have follows from
 * the step that they have come to.
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
    MIX_THINGS = 11 /* are always fewer */
};

/* The last two bits of a step say how many processes have come to it. */
int64_t mix_crowd_step(struct mix *m, uint8_t size);
uint8_t mix_crowd_size(int64_t step);

struct mix_thing {
    int32_t id;
    double at;
};

struct mix_member {
    uint32_t rank, size;
    bool has_owner;         /* things know whose they are */
    enum mix_fold {         /* of what others have saved: */
        MIX_FOLD_NONE,      /* nobody may */
        MIX_FOLD_DROPS,     /* it is left */
        MIX_FOLD_SUMS,      /* where as many have not, */
        MIX_FOLD_ALWAYS     /* and where they have */
    } fold;
    varve_graph *graph;
    int64_t step;
    int32_t rows[MIX_CROWD_ROWS]; /* its part of them */
    int32_t own[MIX_OWN];
    int32_t odd; /* odd ranks have it */
    struct mix_thing things[MIX_THINGS];
    size_t thing_count;
};

/* Builds its graph, with what it has at a step. The member stays where it is
 * until the end. */
void mix_member_begin(struct mix *m, struct mix_member *member,
    const varve_comm *comm, int64_t step);
void mix_member_end(struct mix_member *member);

/* What it has at a step. */
void mix_member_set(struct mix_member *member, int64_t step);

/* Whether it has what was set at a step, */
bool mix_member_is_at(const struct mix_member *member, int64_t step);
/* or what comes of restoring that of another, which as many have saved, or not,
 * over what it had at `before`. */
bool mix_member_has_got(
    const struct mix_member *member, int64_t step, int64_t before);

/* Whether members like this one can restore what so many have saved. */
bool mix_member_fits(const struct mix_member *member, uint8_t saved_by);

#endif
