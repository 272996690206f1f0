/* recall.h - Fills in the digests of a save plan, reusing those of unchanged
 * data from the save that computed them last.
 *
 * Only digests that this process has computed are reused. So it does not matter
 * which base the next checkpoint has, or whether it has one. If a chunk with a
 * reused digest is not in the base, it is read when it is written, and must
 * match that digest (vv_recall_check).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RECALL_H
#define VV_RECALL_H

#include "save_plan.h"
#include "save_plan_digests.h"

/* Fills in the column of digests, or those of the values for which `wants`
 * returns true (NULL: all). Returns VARVE_NO_MEMORY, or VARVE_MISUSE if
 * `verify_clean` is set and a value that was not marked dirty has changed. */
varve_status vv_recall_digests(struct vv_save_plan *save_plan,
    vv_wants_digests *wants, const void *user, varve_error *error);

/* A chunk, and the number of its digest in the column. */
struct vv_known_chunk {
    /* to fill in */
    uint32_t value;
    uint64_t chunk; /* index of the chunk in the value */
    uint64_t number;
};

/* Returns true if the digest of the chunk may have been reused. */
bool vv_is_recalled(
    const struct vv_save_plan *save_plan, const struct vv_known_chunk *chunk);

/* Returns VARVE_MISUSE if the digest of some bytes is not that of the chunk. */
varve_status vv_recall_check(const struct vv_save_plan *save_plan,
    const struct vv_known_chunk *chunk, const void *bytes, size_t size,
    varve_error *error);

/* Keeps all digests for later saves, after they were verified. */
void vv_recall_keep(struct vv_save_plan *save_plan);

/* Discards the digests that were reused, as some are wrong. */
void vv_recall_drop(struct vv_save_plan *save_plan);

/* Returns VARVE_MISUSE: a value was not marked dirty, but differs from that in
 * `where`. */
varve_status vv_fail_untouched(const struct vv_save_plan *save_plan,
    uint32_t value, const char *where, varve_error *error);

#endif
