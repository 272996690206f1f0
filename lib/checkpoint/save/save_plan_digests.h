/* save_plan_digests.h - Computes the digests of all values of a save plan
 * before the values are written.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_DIGESTS_H
#define VV_SAVE_PLAN_DIGESTS_H

#include "layer_columns.h"
#include "save_plan.h"

/* Returns the digest of a chunk that need not be read, or NULL if it must be.
 * `number` is the number of its digest in the save plan. Called on any
 * thread. */
typedef const uint8_t *vv_known_digest(
    const void *user, uint32_t value, uint64_t chunk, uint64_t number);

/* The pages of a chunk with page digests. */
struct vv_known_pages {
    const uint8_t *sums;             /* previous page digests */
    uint8_t *now;                    /* new page digests, to be filled in */
    bool is_changed[VV_CHUNK_PAGES]; /* pages that must be read */
};

/* Returns true if page digests are computed for a chunk, and sets *pages.
 * Called on any thread, once for each chunk. */
typedef bool vv_find_pages(const void *user, uint32_t value, uint64_t chunk,
    struct vv_known_pages *pages);

struct vv_known {
    /* to fill in */
    vv_known_digest *digest;
    vv_find_pages *pages;
    const void *user;
    uint64_t least;   /* `digest` returns NULL for values with fewer bytes */
    bool is_verified; /* read all data and compare it with the known digests */
    /* to read */
    uint32_t other; /* a value that differs from its known digest; or VV_NONE */
};

/* Fills in the digests of the values for which `wants` returns true (NULL:
 * all), and leaves the others unchanged. `wants` is called on any thread. May
 * return VARVE_NO_MEMORY. */
typedef bool vv_wants_digests(const void *user, size_t value);
varve_status vv_save_plan_digest_some(struct vv_save_plan *save_plan,
    struct vv_known *known, vv_wants_digests *wants, const void *user,
    varve_error *error);

/* Fills in the column of digests, on all processors if worthwhile. `known` may
 * be NULL. May return VARVE_NO_MEMORY. */
varve_status vv_save_plan_digest(
    struct vv_save_plan *save_plan, struct vv_known *known, varve_error *error);

#endif
