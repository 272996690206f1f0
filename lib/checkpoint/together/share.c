/* share.c - Computes the offsets of values, divides replicated data by chunks,
 * and assigns offsets in the region.
 *
 * SPDX-License-Identifier: MIT
 */
#include "share.h"

#include "allocator.h"
#include "data_out.h"
#include "failure.h"
#include "layout.h"

/* --- The data of the whole checkpoint ------------------------------------- */

static uint64_t local_size(const struct vv_save_plan *save_plan, uint32_t value)
{
    return vv_at64(save_plan->columns.index.value_sizes.data, value);
}

static bool share_is_saved(const struct vv_save_plan *save_plan, uint32_t value)
{
    return vv_at64(save_plan->columns.index.value_offsets.data, value) != 0;
}

/* Places values as vv_index_add_value does, but with the sizes of whole values
 * for shards. */
static void place_values(
    struct vv_share *share, const struct vv_save_plan *save_plan)
{
    size_t slice_count;
    size_t next = 0;
    const struct vv_save_plan_slice *slices =
        vv_save_plan_slices(save_plan, &slice_count);
    share->end = VV_HEADER_SIZE;
    for (uint32_t i = 0; i < save_plan->value_count; i++) {
        bool is_slice = next < slice_count && slices[next].value == i;
        uint64_t size =
            is_slice ? slices[next].whole_size : local_size(save_plan, i);
        uint64_t offset =
            share_is_saved(save_plan, i) ? vv_data_place(share->end, size) : 0;
        vv_buffer_add64(&share->offsets, offset);
        vv_buffer_add64(&share->sizes, offset ? size : 0);
        if (offset)
            share->end = offset + size;
        next += is_slice;
    }
}

/* --- Chunks --------------------------------------------------------------- */

struct sharing {
    struct vv_share *share;
    const struct vv_save_plan *save_plan;
    /* This rank writes the chunks that begin between `low` and `high`. These
     * are positions in the bytes of all replicated values in a row. */
    uint64_t low;
    uint64_t high;
    uint64_t passed; /* number of those bytes so far */
    uint64_t behind; /* offset in the data of the end of the last part; 0:
                        the next part does not continue it */
};

static void share_find_range(struct sharing *s,
    const struct vv_save_plan *save_plan, const varve_comm *comm)
{
    size_t slices;
    const struct vv_save_plan_slice *slice =
        vv_save_plan_slices(save_plan, &slices);
    uint64_t total = 0;
    for (uint32_t i = 0; i < save_plan->value_count; i++)
        total += local_size(save_plan, i);
    for (size_t i = 0; i < slices; i++)
        total -= local_size(save_plan, slice[i].value);
    uint64_t each = total / comm->size + 1;
    s->low = each * comm->rank;
    s->high = s->low + each;
}

/* Returns how many chunks of a value that begins at `begin` begin before
 * `limit`. */
static uint64_t chunks_before(uint64_t begin, uint64_t size, uint64_t limit)
{
    uint64_t count = vv_chunk_count(size);
    uint64_t before = begin < limit ? vv_chunk_count(limit - begin) : 0;
    return before < count ? before : count;
}

static void share_add_part(struct vv_share *share, struct vv_part part)
{
    vv_buffer_add(&share->parts, &part, sizeof part);
    share->size = part.offset + part.size;
}

/* Adds a part of a replicated value. It follows the last part with the same
 * padding or, if it does not continue that, at an offset with the same
 * alignment as in the data. */
static void add_common(
    struct sharing *s, uint32_t value, uint64_t begin, uint64_t size)
{
    struct vv_share *share = s->share;
    uint64_t place = vv_at64(share->offsets.data, value) + begin;
    if (s->behind) {
        struct vv_stretch *last =
            (struct vv_stretch *)(void *)(share->stretches.data +
                                          share->stretches.size) -
            1;
        uint64_t offset = share->size + (place - s->behind);
        last->size = place + size - last->place;
        share_add_part(share,
            (struct vv_part){ s->save_plan, value, begin, size, offset });
    } else {
        uint64_t offset = vv_data_place_like(share->size, place);
        struct vv_stretch stretch = { place, size, offset };
        vv_buffer_add(&share->stretches, &stretch, sizeof stretch);
        share_add_part(share,
            (struct vv_part){ s->save_plan, value, begin, size, offset });
    }
    s->behind = share->stretches.failed ? 0 : place + size;
}

static void share_common(struct sharing *s, uint32_t value, uint64_t size)
{
    uint64_t from = chunks_before(s->passed, size, s->low) * VV_CHUNK_SIZE;
    uint64_t to = chunks_before(s->passed, size, s->high) * VV_CHUNK_SIZE;
    s->passed += size;
    if (from < to)
        add_common(s, value, from, (to < size ? to : size) - from);
}

static void share_slice(struct sharing *s, uint32_t value, uint64_t size)
{
    uint64_t offset = vv_data_place(s->share->size, size);
    s->behind = 0;
    share_add_part(
        s->share, (struct vv_part){ s->save_plan, value, 0, size, offset });
}

static void share_values(
    struct sharing *s, const struct vv_save_plan *save_plan)
{
    size_t slice_count;
    size_t next = 0;
    const struct vv_save_plan_slice *slices =
        vv_save_plan_slices(save_plan, &slice_count);
    for (uint32_t i = 0; i < save_plan->value_count; i++) {
        uint64_t size = local_size(save_plan, i);
        if (next < slice_count && slices[next].value == i) {
            share_slice(s, i, size);
            next++;
        } else if (size > 0) {
            share_common(s, i, size);
        }
    }
}

/* --- Rank-local data ------------------------------------------------------ */

/* Places the values as in a separate file. */
static void share_private(
    struct vv_share *share, struct vv_private_part *private)
{
    const struct vv_index_columns *c = &private->save_plan.columns.index;
    private->begin = vv_data_place(share->size, c->total);
    for (uint32_t i = 0; i < private->save_plan.value_count; i++) {
        uint64_t size = local_size(&private->save_plan, i);
        uint64_t offset = vv_at64(c->value_offsets.data, i);
        if (size > 0)
            share_add_part(share, (struct vv_part){ &private->save_plan, i, 0,
                                      size, private->begin + offset });
    }
}

/* --- All ------------------------------------------------------------------ */

varve_status vv_share_make(struct vv_share *share,
    const struct vv_save_plan *save_plan, struct vv_private_parts *privates,
    const varve_comm *comm, varve_error *error)
{
    const varve_allocator *a = &save_plan->context.allocator;
    struct sharing s = { .share = share, .save_plan = save_plan };
    *share = (struct vv_share){ .privates = privates };
    vv_buffer_init(&share->offsets, a);
    vv_buffer_init(&share->sizes, a);
    vv_buffer_init(&share->parts, a);
    vv_buffer_init(&share->stretches, a);
    place_values(share, save_plan);
    if (!share->offsets.failed && !share->sizes.failed) {
        share_find_range(&s, save_plan, comm);
        share_values(&s, save_plan);
    }
    for (size_t i = 0; privates && i < privates->count; i++)
        share_private(share, &privates->all[i]);
    share->size = vv_align_up(share->size, VV_PAGE_ALIGNMENT);
    if (!share->offsets.failed && !share->sizes.failed &&
        !share->parts.failed && !share->stretches.failed)
        return VARVE_OK;
    vv_share_clear(share);
    return vv_fail_memory(error, "data of a rank");
}

void vv_share_clear(struct vv_share *share)
{
    vv_buffer_clear(&share->offsets);
    vv_buffer_clear(&share->sizes);
    vv_buffer_clear(&share->parts);
    vv_buffer_clear(&share->stretches);
}
