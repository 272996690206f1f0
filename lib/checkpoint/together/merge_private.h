/* merge_private.h - at rank 0: what is private to each process, in the index of
 * all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MERGE_PRIVATE_H
#define VV_MERGE_PRIVATE_H

#include "merge.h"

static inline bool vv_merge_has_private(const struct vv_merge *merge)
{
    return merge->cargo->privates.size > 0;
}

static inline struct vv_placed *vv_all_placed(
    const struct vv_merge *merge, size_t *count)
{
    *count = merge->placed.size / sizeof(struct vv_placed);
    return (struct vv_placed *)(void *)merge->placed.data;
}

/* Splices the graphs of all, and puts digests, pieces and places, which are
 * sorted, as values are numbered then; places are not sorted afterwards. */
varve_status vv_merge_private(struct vv_merge *merge, varve_error *error);

#endif
