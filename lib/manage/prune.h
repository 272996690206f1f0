/* prune.h - deleting checkpoints that nothing keeps.
 *
 * A file is renamed away first and removed then, so that no name ever leads to
 * half a deletion; what a killed process left between the two is removed the
 * next time. Before either, its own metadata is read once more, and its lock is
 * taken: who reads it under a lease has that, and keeps it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PRUNE_H
#define VV_PRUNE_H

#include "listing.h"
#include "retention.h"

/* What is decided about a listing: facts[i] is of its entry i. */
struct vv_decision {
    const varve_allocator *allocator;
    struct vv_fact *facts;
    size_t count;
    size_t capacity;
};

/* Decides anew. `newest_good` is a number or NULL. VARVE_NO_MEMORY; then the
 * older decision stands no more. */
varve_status vv_decide_listing(struct vv_decision *decision,
    const struct vv_policy *policy, const struct vv_listing *listing,
    const uint64_t *newest_good, varve_error *error);
void vv_decision_clear(struct vv_decision *decision);

/* Deletes what has no reason to stay, the oldest first, from the directory and
 * the listing; and what an earlier deletion left. What is leased gets that as a
 * reason. Goes on after a failure, and returns the first. */
varve_status vv_prune(struct vv_listing *listing, struct vv_decision *decision,
    varve_error *error);

/* Looks at what vv_prune would delete now, and deletes nothing: the fact of
 * each that would stay gets its reason. Takes each lock for a moment. Goes on
 * after a failure, and returns the first. */
varve_status vv_prune_trial(struct vv_listing *listing,
    struct vv_decision *decision, varve_error *error);

#endif
