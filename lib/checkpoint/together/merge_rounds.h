/* merge_rounds.h - slices that are too many to be told at once: rank 0 gets
 * those of a few values from all, merges these, and puts what comes of it into
 * a spill. So it holds no more than a few values have, whatever their number.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MERGE_ROUNDS_H
#define VV_MERGE_ROUNDS_H

#include "merge.h"

/* Bytes that are told at once, unless one value has more. */
enum { VV_MOST_AT_ONCE = 16 << 20 };

/* Which slices are told together; the same at all ranks, since it follows from
 * what they have alike. */
struct vv_rounds {
    /* to fill in */
    const struct vv_save_plan *save_plan;
    uint32_t ranks;
    uint64_t most;
    /* to read: of this round, the first slice and that behind the last; and the
     * value behind all that belong to it */
    size_t begin, end;
    uint32_t value_end;
};

/* Whether there is more than one. What is incremental or packed is told as a
 * whole; what is private, before them. */
bool vv_goes_by_rounds(const struct vv_rounds *rounds);

/* The next round; false behind the last. */
bool vv_rounds_next(struct vv_rounds *rounds);

/* By all ranks, which come with their `status`; at rank 0 the merge has begun
 * and has a spill. The same at all of them. */
varve_status vv_merge_by_rounds(struct vv_merge *merge, uint64_t most,
    varve_status status, varve_error *error);

#endif
