/* merge_private.c - Adds the rank-local subtrees of all ranks to the merged
 * graph, and their values to the index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merge_private.h"

#include "allocator.h"
#include "failure.h"
#include "layout.h"
#include "try.h"

/* --- Parts ---------------------------------------------------------------- */

/* Returns the number of rank-local nodes, which is the same on each rank. */
static size_t count_private(const struct vv_merge *merge)
{
    return merge->save_plan->privates.size /
           sizeof(struct vv_save_plan_private);
}

static size_t merge_private_count_parts(const struct vv_merge *merge)
{
    return 1 + count_private(merge) * merge->comm->size;
}

/* Adds a part for each rank-local node of each rank, after the part of the
 * common graph. */
static void add_private_parts(struct vv_merge *merge)
{
    const uint8_t *bytes = merge->all->bytes.data;
    size_t each = count_private(merge), part = 1;
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        const uint8_t *at = vv_contribution_of(bytes).privates;
        bytes += merge->all->sizes[i];
        for (size_t k = 0; k < each; k++, part++) {
            struct vv_private_message message = vv_contribution_private(&at);
            merge->parts[part] = (struct vv_splice_part){
                .index = message.index, .at = message.place, .number = i
            };
            merge->origins[part] = (struct vv_private_origin){ i, message.begin,
                message.index.digests };
        }
    }
}

varve_status vv_merge_splice(struct vv_merge *merge, varve_error *error)
{
    const varve_allocator *a = &merge->save_plan->context.allocator;
    size_t parts = merge_private_count_parts(merge);
    merge->parts = vv_allocate_array(a, parts, sizeof *merge->parts);
    merge->origins = vv_allocate_array(a, parts, sizeof *merge->origins);
    if (!merge->parts || !merge->origins)
        return vv_fail_memory(error, "the index of all ranks");
    VV_TRY(vv_save_plan_index(merge->save_plan, &merge->parts[0].index, error));
    vv_share_lay_out(merge->share, &merge->parts[0].index);
    add_private_parts(merge);
    merge->splice.parts = merge->parts;
    merge->splice.count = parts;
    VV_TRY(vv_splice_begin(&merge->splice, a, error));
    merge->is_spliced = true;
    merge->end = merge->splice.columns.total;
    return VARVE_OK;
}

void vv_merge_private_end(struct vv_merge *merge)
{
    const varve_allocator *a = &merge->save_plan->context.allocator;
    size_t parts = merge_private_count_parts(merge);
    if (merge->is_spliced)
        vv_splice_end(&merge->splice);
    if (merge->parts)
        vv_release(a, merge->parts, parts * sizeof *merge->parts);
    if (merge->origins)
        vv_release(a, merge->origins, parts * sizeof *merge->origins);
}

/* --- Values --------------------------------------------------------------- */

static void merge_private_take(
    struct vv_merge *merge, const struct vv_spliced *from)
{
    const struct vv_index *index = &merge->parts[from->part].index;
    struct vv_private_origin *origin = &merge->origins[from->part];
    uint64_t size = vv_at64(index->value_sizes, from->value);
    size_t digests = (size_t)vv_chunk_count(size) * VV_DIGEST_SIZE;
    struct vv_placed placed = { vv_next_place(merge), size, origin->owner,
        origin->begin + vv_at64(index->value_offsets, from->value) };
    if (size == 0)
        return;
    vv_buffer_add(&merge->placed, &placed, sizeof placed);
    vv_buffer_add(&merge->added.digests, origin->digests, digests);
    origin->digests += digests;
}

void vv_merge_take_private(struct vv_merge *merge)
{
    size_t count = 0;
    const struct vv_spliced *all =
        merge->is_spliced ? vv_spliced_values(&merge->splice, &count) : NULL;
    while (merge->next_whole < count && all[merge->next_whole].part != 0) {
        merge_private_take(merge, &all[merge->next_whole]);
        merge->next_whole++;
    }
}
