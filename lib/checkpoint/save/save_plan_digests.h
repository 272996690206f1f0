/* save_plan_digests.h - Fills in the digests of a save plan: computes them, or
 * reuses those of an earlier save.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_DIGESTS_H
#define VV_SAVE_PLAN_DIGESTS_H

#include "layer_columns.h"
#include "save_plan.h"

/* --- Computing ------------------------------------------------------------ */

/* Computes the digests of all values of a save plan before the values are
 * written. */

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

/* --- Reusing -------------------------------------------------------------- */

/* Fills in the digests of a save plan, reusing those of unchanged data from the
 * save that computed them last.
 *
 * Only digests that this process has computed are reused. So it does not matter
 * which base the next checkpoint has, or whether it has one. If a chunk with a
 * reused digest is not in the base, it is read when it is written, and must
 * match that digest (vv_recall_check). */

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
