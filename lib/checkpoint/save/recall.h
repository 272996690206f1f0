/* recall.h - digests of a save plan, of which those of what was not touched are
 * taken over from the save that summed them last.
 *
 * They are known by what this process has summed itself. So it does not matter
 * which checkpoint the next one shares its layers with, or whether there is
 * one: where those lack a chunk it is looked at when it is written, and must be
 * what it was taken for (vv_recall_check).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RECALL_H
#define VV_RECALL_H

#include "save_plan.h"
#include "save_plan_digests.h"

/* Fills in the column of digests, or those of some values (`wants` may be NULL:
 * all). VARVE_NO_MEMORY; VARVE_MISUSE where all is looked at
 * (`verify_clean`) and something was not touched and has changed. */
varve_status vv_recall_digests(struct vv_save_plan *save_plan,
    vv_wants_digests *wants, const void *user, varve_error *error);

/* A chunk, with the number that its digest has in the column. */
struct vv_known_chunk {
    /* to fill in */
    uint32_t value;
    uint64_t chunk; /* of that */
    uint64_t number;
};

/* Whether its digest may be one that was taken over. */
bool vv_is_recalled(
    const struct vv_save_plan *save_plan, const struct vv_known_chunk *chunk);

/* VARVE_MISUSE, unless some bytes are those of its digest. */
varve_status vv_recall_check(const struct vv_save_plan *save_plan,
    const struct vv_known_chunk *chunk, const void *bytes, size_t size,
    varve_error *error);

/* Remembers all digests, as they are true. */
void vv_recall_keep(struct vv_save_plan *save_plan);

/* Forgets what was taken over: something of it is not true. */
void vv_recall_drop(struct vv_save_plan *save_plan);

/* VARVE_MISUSE: a value was not touched, and is not what `where` has. */
varve_status vv_fail_untouched(const struct vv_save_plan *save_plan,
    uint32_t value, const char *where, varve_error *error);

#endif
