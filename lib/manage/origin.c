/* origin.c - Merges the listings of the directory and the levels by save
 * counter.
 *
 * SPDX-License-Identifier: MIT
 */
#include "origin.h"

#include "failure.h"

static struct vv_listing *listing_of(varve_manager *m, size_t level)
{
    return level ? &m->levels.all[level - 1].seen : &m->listing;
}

struct vv_entry *vv_origin_entry(const struct vv_origin *origin)
{
    return &origin->listing->entries[origin->index];
}

/* Returns true if an entry of a level comes after an origin. */
static bool origin_is_behind(const struct vv_origin *origin,
    const struct vv_listing *listing, size_t level, size_t index)
{
    if (!origin->listing)
        return true;
    uint64_t counter = listing->entries[index].counter;
    uint64_t other = vv_origin_entry(origin)->counter;
    if (counter != other)
        return counter < other;
    return level == origin->level ? index < origin->index
                                  : level > origin->level;
}

bool vv_origin_next(varve_manager *m, struct vv_origin *origin)
{
    struct vv_origin next = { .levels = origin->levels };
    for (size_t level = 0; level <= origin->levels; level++) {
        struct vv_listing *l = listing_of(m, level);
        size_t i = l->count;
        while (i > 0 && !origin_is_behind(origin, l, level, i - 1))
            i--;
        if (i == 0 || (next.listing && l->entries[i - 1].counter <=
                                           vv_origin_entry(&next)->counter))
            continue;
        next.listing = l;
        next.level = level;
        next.index = i - 1;
    }
    *origin = next;
    return next.listing != NULL;
}

varve_status vv_origin_path(
    const struct vv_origin *origin, const char **path, varve_error *error)
{
    *path = vv_listing_path(
        origin->listing, &vv_origin_entry(origin)->number, VARVE_SUFFIX);
    return origin->listing->path.failed
               ? vv_fail_memory(error, "the name of a checkpoint")
               : VARVE_OK;
}
