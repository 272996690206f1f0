/* merge_private.c - a part for each private node of each process, and then each
 * value from where it is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merge_private.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "layout.h"
#include "try.h"

/* Where a part comes from. */
struct origin {
    uint32_t owner;
    uint64_t begin;         /* see vv_private_told */
    const uint8_t *digests; /* of its next value */
};

struct work {
    struct vv_merge *merge;
    struct vv_splice_part *parts;
    struct origin *origins; /* by part */
    size_t count;
    struct vv_buffer digests; /* in the order of the whole, and so are these */
    struct vv_buffer placed;
    uint32_t
        *number_of; /* by value of what all have: its number in the whole */
    const struct vv_placed *next; /* of what all have */
    const struct vv_placed *end;
};

static varve_status no_memory(varve_error *error)
{
    return vv_fail_memory(error, "the index of all ranks");
}

/* --- Parts ---------------------------------------------------------------- */

/* Behind that of all those of each rank. */
static void take_told(struct work *w)
{
    const struct vv_merge *merge = w->merge;
    const uint8_t *bytes = merge->all->bytes.data;
    size_t each = merge->cargo->privates.size / sizeof(struct vv_cargo_private);
    size_t part = 1;
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        const uint8_t *at = vv_contribution_of(bytes).privates;
        bytes += merge->all->sizes[i];
        for (size_t k = 0; k < each; k++, part++) {
            struct vv_private_told told = vv_contribution_private(&at);
            w->parts[part] = (struct vv_splice_part){
                .index = told.index, .at = told.place, .number = i
            };
            w->origins[part] =
                (struct origin){ i, told.begin, told.index.digests };
        }
    }
}

static varve_status splice(struct work *w, varve_error *error)
{
    struct vv_merge *merge = w->merge;
    VV_TRY(vv_cargo_index(merge->cargo, &w->parts[0].index, error));
    vv_share_lay_out(merge->share, &w->parts[0].index);
    take_told(w);
    merge->splice.parts = w->parts;
    merge->splice.count = w->count;
    VV_TRY(vv_splice_begin(
        &merge->splice, &merge->cargo->context.allocator, error));
    merge->is_spliced = true;
    merge->end = merge->splice.columns.total;
    return VARVE_OK;
}

/* --- Values --------------------------------------------------------------- */

static void place_private(
    struct work *w, const struct vv_spliced *from, uint64_t place)
{
    const struct vv_index *index = &w->parts[from->part].index;
    struct origin *origin = &w->origins[from->part];
    uint64_t size = vv_at64(index->value_sizes, from->value);
    size_t digests = (size_t)vv_chunk_count(size) * VV_DIGEST_SIZE;
    struct vv_placed placed = { place, size, origin->owner,
        origin->begin + vv_at64(index->value_offsets, from->value) };
    if (size == 0)
        return;
    vv_buffer_add(&w->placed, &placed, sizeof placed);
    vv_buffer_add(&w->digests, origin->digests, digests);
    origin->digests += digests;
}

/* What lies in the data of what all have from `begin` to `end`; ranges there
 * may hold several values, and values have several ranges. */
static void move_placed(
    struct work *w, uint64_t begin, uint64_t end, uint64_t place)
{
    while (w->next < w->end && w->next->place < end) {
        const struct vv_placed *p = w->next;
        uint64_t from = p->place > begin ? p->place : begin;
        uint64_t to = p->place + p->size < end ? p->place + p->size : end;
        struct vv_placed placed = { place + (from - begin), to - from, p->owner,
            p->offset + (from - p->place) };
        if (from < to)
            vv_buffer_add(&w->placed, &placed, sizeof placed);
        if (p->place + p->size > end)
            break;
        w->next++;
    }
}

static void place_common(struct work *w, uint32_t value, uint64_t place)
{
    const struct vv_merge *merge = w->merge;
    const uint8_t *ends = merge->digest_ends.data;
    uint64_t from = value > 0 ? vv_at64(ends, value - 1) : 0;
    uint64_t count = vv_at64(ends, value) - from;
    uint64_t begin = vv_at64(merge->share->offsets.data, value);
    uint64_t size = vv_at64(merge->share->sizes.data, value);
    if (count > 0)
        vv_buffer_add(&w->digests,
            merge->added.digests.data + from * VV_DIGEST_SIZE,
            (size_t)count * VV_DIGEST_SIZE);
    if (size > 0)
        move_placed(w, begin, begin + size, place);
}

static void place_values(struct work *w)
{
    size_t count;
    const struct vv_spliced *all = vv_spliced_values(&w->merge->splice, &count);
    const uint8_t *places = w->merge->splice.columns.value_offsets.data;
    size_t placed;
    w->next = vv_all_placed(w->merge, &placed);
    w->end = w->next + placed;
    for (size_t i = 0; i < count; i++) {
        uint64_t place = vv_at64(places, i);
        if (all[i].part == 0)
            w->number_of[all[i].value] = (uint32_t)i;
        if (place == 0)
            continue;
        if (all[i].part == 0)
            place_common(w, all[i].value, place);
        else
            place_private(w, &all[i], place);
    }
}

static void number_pieces(struct work *w)
{
    struct vv_buffer *pieced = &w->merge->added.pieced_values;
    size_t count = pieced->size / 4;
    for (size_t i = 0; i < count; i++)
        vv_store32(
            pieced->data + 4 * i, w->number_of[vv_at32(pieced->data, i)]);
}

/* --- All ------------------------------------------------------------------ */

static varve_status merge_all(struct work *w, varve_error *error)
{
    struct vv_merge *merge = w->merge;
    VV_TRY(splice(w, error));
    place_values(w);
    if (w->digests.failed || w->placed.failed)
        return no_memory(error);
    number_pieces(w);
    vv_buffer_swap(&w->digests, &merge->added.digests);
    vv_buffer_swap(&w->placed, &merge->placed);
    return VARVE_OK;
}

varve_status vv_merge_private(struct vv_merge *merge, varve_error *error)
{
    const varve_allocator *a = &merge->cargo->context.allocator;
    size_t each = merge->cargo->privates.size / sizeof(struct vv_cargo_private);
    size_t values = merge->cargo->value_count + 1;
    struct work w = { .merge = merge, .count = 1 + each * merge->comm->size };
    size_t parts = w.count;
    vv_buffer_init(&w.digests, a);
    vv_buffer_init(&w.placed, a);
    w.parts = vv_allocate_array(a, parts, sizeof *w.parts);
    w.origins = vv_allocate_array(a, parts, sizeof *w.origins);
    w.number_of = vv_allocate_array(a, values, sizeof *w.number_of);
    varve_status status = w.parts && w.origins && w.number_of
                              ? merge_all(&w, error)
                              : no_memory(error);
    vv_release(a, w.parts, parts * sizeof *w.parts);
    vv_release(a, w.origins, parts * sizeof *w.origins);
    vv_release(a, w.number_of, values * sizeof *w.number_of);
    vv_buffer_clear(&w.digests);
    vv_buffer_clear(&w.placed);
    return status;
}
