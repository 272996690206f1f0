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
    return merge->save_plan->privates.size > 0;
}

static inline struct vv_placed *vv_all_placed(
    const struct vv_merge *merge, size_t *count)
{
    *count = merge->placed.size / sizeof(struct vv_placed);
    return (struct vv_placed *)(void *)merge->placed.data;
}

/* Splices the graphs of all: from here on the values of the index are numbered
 * and placed as they are then. */
varve_status vv_merge_splice(struct vv_merge *merge, varve_error *error);
void vv_merge_private_end(struct vv_merge *merge);

/* Where in the data the next value of the index lies. */
static inline uint64_t vv_next_place(const struct vv_merge *merge)
{
    const struct vv_buffer *places = merge->is_spliced
                                         ? &merge->splice.columns.value_offsets
                                         : &merge->share->offsets;
    return vv_at64(places->data, merge->next_whole);
}

/* Takes the private values before the next of what all have. */
void vv_merge_take_private(struct vv_merge *merge);

#endif
