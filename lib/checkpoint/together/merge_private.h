/* merge_private.h - Merges the rank-local subtrees of all ranks into the index,
 * on rank 0.
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

/* Merges the graphs of all ranks. Afterwards values are numbered and placed as
 * in the merged graph. */
varve_status vv_merge_splice(struct vv_merge *merge, varve_error *error);
void vv_merge_private_end(struct vv_merge *merge);

/* Returns the offset in the data of the next value of the index. */
static inline uint64_t vv_next_place(const struct vv_merge *merge)
{
    const struct vv_buffer *places = merge->is_spliced
                                         ? &merge->splice.columns.value_offsets
                                         : &merge->share->offsets;
    return vv_at64(places->data, merge->next_whole);
}

/* Takes the rank-local values before the next common value. */
void vv_merge_take_private(struct vv_merge *merge);

#endif
