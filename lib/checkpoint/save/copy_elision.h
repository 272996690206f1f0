/* copy_elision.h - what a save in the background does not copy, as the
 * checkpoint before has it.
 *
 * An incremental save that knows what was not touched only names that in its
 * base; so the base is opened before the copy, and stays open until the save is
 * done. Where another one is in its place by then, or none, what was not copied
 * is read from it: a copy is as good as if it were whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SPARED_H
#define VV_SPARED_H

#include "save_plan.h"
#include "poison.h"

struct vv_layer_known;

/* Some bytes of a value, all in one chunk. */
struct vv_elided_part {
    uint32_t value;
    bool is_spared;
    uint64_t begin, end;
};

typedef varve_status vv_take_part(const struct vv_save_plan *save_plan,
    const struct vv_elided_part *part, void *user, varve_error *error);

#ifdef VV_HAVE_LAYERS

/* By the thread of the graph, while nobody writes: finds what of a save plan,
 * which is not detached, the checkpoint at `base` has. `path` is its own, or
 * the prefix of that. Nothing is spared of one that looks at all, nor where
 * that is not a checkpoint which this graph has saved. VARVE_NO_MEMORY. */
varve_status vv_save_plan_spare(struct vv_save_plan *save_plan,
    const char *base, const char *path, varve_error *error);

/* The parts of a value, in order, where something is spared. */
varve_status vv_save_plan_each_part(const struct vv_save_plan *save_plan,
    uint32_t value, vv_take_part *take, void *user, varve_error *error);

/* Whoever touches what was not copied is found where AddressSanitizer looks. */
#ifdef VV_HAS_ASAN
void vv_save_plan_poison(const struct vv_save_plan *save_plan);
#else
static inline void vv_save_plan_poison(const struct vv_save_plan *save_plan)
{
    (void)save_plan;
}
#endif

/* By whoever writes: nothing is spared any more where `known` is not of what
 * was found. VARVE_CORRUPT and the like, where it cannot be read. */
varve_status vv_save_plan_unspare(struct vv_save_plan *save_plan,
    const struct vv_layer_known *known, varve_error *error);

void vv_save_plan_end_sparing(struct vv_save_plan *save_plan);

#else

static inline varve_status vv_save_plan_spare(struct vv_save_plan *save_plan,
    const char *base, const char *path, varve_error *error)
{
    (void)save_plan, (void)base, (void)path, (void)error;
    return VARVE_OK;
}

static inline varve_status vv_save_plan_each_part(
    const struct vv_save_plan *save_plan, uint32_t value, vv_take_part *take,
    void *user, varve_error *error)
{
    (void)save_plan, (void)value, (void)take, (void)user, (void)error;
    return VARVE_OK;
}

static inline void vv_save_plan_poison(const struct vv_save_plan *save_plan)
{
    (void)save_plan;
}

static inline void vv_save_plan_end_sparing(struct vv_save_plan *save_plan)
{
    (void)save_plan;
}

#endif
#endif
