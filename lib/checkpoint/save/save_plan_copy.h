/* save_plan_copy.h - Makes a save plan independent of the program's memory,
 * without copying data that the previous checkpoint already contains.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_COPY_H
#define VV_SAVE_PLAN_COPY_H

#include "poison.h"
#include "save_plan.h"

/* --- Data that need not be copied ----------------------------------------- */

/* Avoids copying data for an asynchronous save that the previous checkpoint
 * already contains.
 *
 * An incremental save refers to its base for data that is known to be
 * unchanged, and does not need the bytes. So the base is opened before the
 * values are copied, and stays open until the save is done. If the base was
 * replaced or deleted meanwhile, the missing data is read from the open file,
 * so that the copy is complete. */

struct vv_layer_known;

/* A range of bytes of a value, within one chunk. */
struct vv_elided_part {
    uint32_t value;
    bool is_reused;
    uint64_t begin, end;
};

typedef varve_status vv_take_part(const struct vv_save_plan *save_plan,
    const struct vv_elided_part *part, void *user, varve_error *error);

/* Finds the data of a save plan that the checkpoint at `base` contains. `path`
 * is the path of the save, or its prefix. The save plan must not be detached.
 * Called on the thread of the graph, while no save is being written. Nothing is
 * found for a save that verifies clean values, or if `base` is not a checkpoint
 * that this graph has saved. May return VARVE_NO_MEMORY. */
varve_status vv_save_plan_find_reusable(struct vv_save_plan *save_plan,
    const char *base, const char *path, varve_error *error);

/* Calls `take` for the parts of a value in order. Must be called only if
 * something is reused. */
varve_status vv_save_plan_each_part(const struct vv_save_plan *save_plan,
    uint32_t value, vv_take_part *take, void *user, varve_error *error);

/* Makes AddressSanitizer report accesses to bytes that were not copied. */
#ifdef VV_HAS_ASAN
void vv_save_plan_poison(const struct vv_save_plan *save_plan);
#else
static inline void vv_save_plan_poison(const struct vv_save_plan *save_plan)
{
    (void)save_plan;
}
#endif

/* Called by the thread that writes. If `known` is not of the base that was
 * found before, reads the missing data from that base and ends the reuse.
 * Returns VARVE_CORRUPT or another error if it cannot be read. */
varve_status vv_save_plan_fill_reused(struct vv_save_plan *save_plan,
    const struct vv_layer_known *known, varve_error *error);

void vv_save_plan_end_reuse(struct vv_save_plan *save_plan);

/* --- Copies --------------------------------------------------------------- */

/* Returns true if a value is copied by vv_save_plan_copy: it is large, and its
 * bytes in memory are those of a file. The values must not be copied yet. */
bool vv_save_plan_is_large(const struct vv_save_plan *save_plan, size_t value);

/* Returns the size of a block for copies of all values. */
size_t vv_save_plan_copy_size(const struct vv_save_plan *save_plan);

/* Copies all data that belongs to the program except large values, and assigns
 * addresses for these in `block`. The block must have the size from
 * vv_save_plan_copy_size and be aligned to a page. Bytes that the base has
 * or that are not needed are not copied later. After that the save plan does
 * not depend on the options, metadata, small values, strings or values that are
 * read through functions. On failure the save plan is unchanged. */
varve_status vv_save_plan_detach(
    struct vv_save_plan *save_plan, void *block, varve_error *error);

/* Copies the large values on all processors. Called once, on any thread, while
 * the values are unchanged. After that the save plan does not depend on the
 * program's memory. */
void vv_save_plan_copy(struct vv_save_plan *save_plan);

#endif
