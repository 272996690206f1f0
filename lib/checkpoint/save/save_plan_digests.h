/* save_plan_digests.h - the digests of all values of a save plan, before any is
 * written.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_DIGESTS_H
#define VV_SAVE_PLAN_DIGESTS_H

#include "save_plan.h"
#include "page_sums.h"

/* The digest of a chunk that need not be looked at; NULL: it must be. `number`
 * is that of its digest here. On any thread. */
typedef const uint8_t *vv_known_digest(
    const void *user, uint32_t value, uint64_t chunk, uint64_t number);

/* The pages of a chunk that is summed by them. */
struct vv_known_pages {
    const uint8_t *sums;             /* their digests before, */
    uint8_t *now;                    /* and now: to be filled in */
    bool is_changed[VV_CHUNK_PAGES]; /* where they must be looked at */
};

/* Whether a chunk is to be summed by pages. On any thread, each once. */
typedef bool vv_find_pages(const void *user, uint32_t value, uint64_t chunk,
    struct vv_known_pages *pages);

struct vv_known {
    /* to fill in */
    vv_known_digest *digest;
    vv_find_pages *pages;
    const void *user;
    bool is_verified; /* all is looked at, and must be as it is known to be */
    /* to read */
    uint32_t other; /* a value that is not; or VV_NONE */
};

/* Fills in those of some values, and leaves the others as they are; `wants` is
 * called on any thread, NULL: all. VARVE_NO_MEMORY. */
typedef bool vv_wants_digests(const void *user, size_t value);
varve_status vv_save_plan_digest_some(struct vv_save_plan *save_plan,
    struct vv_known *known, vv_wants_digests *wants, const void *user,
    varve_error *error);

/* Fills in the column of digests, on all processors where it pays. `known` may
 * be NULL. VARVE_NO_MEMORY. */
varve_status vv_save_plan_digest(
    struct vv_save_plan *save_plan, struct vv_known *known, varve_error *error);

#endif
