/* merge.c - Merges the contributions of all ranks: adds rank-local subtrees,
 * checks shards, and collects digests and places.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "layout.h"
#include "merge_places.h"
#include "merge_rounds.h"
#include "piece_check.h"
#include "saved_path.h"
#include "try.h"

/* --- Rank-local subtrees -------------------------------------------------- */

static inline bool merge_has_private(const struct vv_merge *merge)
{
    return merge->save_plan->privates.size > 0;
}

/* Returns the offset in the data of the next value of the index. */
static inline uint64_t merge_next_place(const struct vv_merge *merge)
{
    const struct vv_buffer *places = merge->is_spliced
                                         ? &merge->splice.columns.value_offsets
                                         : &merge->share->offsets;
    return vv_at64(places->data, merge->next_whole);
}

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

/* Merges the graphs of all ranks. Afterwards values are numbered and placed as
 * in the merged graph. */
static varve_status merge_splice(struct vv_merge *merge, varve_error *error)
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

static void merge_private_end(struct vv_merge *merge)
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
    struct vv_placed placed = { merge_next_place(merge), size, origin->owner,
        origin->begin + vv_at64(index->value_offsets, from->value) };
    if (size == 0)
        return;
    vv_buffer_add(&merge->placed, &placed, sizeof placed);
    vv_buffer_add(&merge->added.digests, origin->digests, digests);
    origin->digests += digests;
}

/* Takes the rank-local values before the next common value. */
static void merge_take_private(struct vv_merge *merge)
{
    size_t count = 0;
    const struct vv_spliced *all =
        merge->is_spliced ? vv_spliced_values(&merge->splice, &count) : NULL;
    while (merge->next_whole < count && all[merge->next_whole].part != 0) {
        merge_private_take(merge, &all[merge->next_whole]);
        merge->next_whole++;
    }
}

/* A nonempty shard, and the rank that has it. */
struct found {
    uint32_t owner;
    uint32_t rank; /* number of dimensions */
    const uint8_t *message;
};

static varve_status merge_no_memory(varve_error *error)
{
    return vv_fail_memory(error, "the index of all ranks");
}

/* --- Shards --------------------------------------------------------------- */

/* Compares by the position of the box. No two valid boxes begin at the same
 * position. */
static int compare_found(const struct found *one, const struct found *other)
{
    for (uint32_t k = 0; k < one->rank; k++) {
        uint64_t x = vv_at64(one->message, k), y = vv_at64(other->message, k);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return one->owner < other->owner ? -1 : one->owner > other->owner;
}

static int compare_any(const void *a, const void *b)
{
    return compare_found(a, b);
}

/* Returns the nonempty shards of a value, sorted by position. They are usually
 * in the order of ranks. */
static struct found *find_slices(struct vv_merge *merge,
    const struct vv_save_plan_slice *slice, size_t *count)
{
    bool is_sorted = true;
    merge->found.size = 0;
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        struct found f = { i, slice->rank, merge->next_slices[i] };
        vv_contribution_skip_slice(&merge->next_slices[i], slice->rank);
        if (vv_slice_message_size(f.message, f.rank) == 0)
            continue;
        if (is_sorted && merge->found.size > 0) {
            const uint8_t *end = merge->found.data + merge->found.size;
            const struct found *last = (const void *)(end - sizeof f);
            is_sorted = compare_found(last, &f) < 0;
        }
        vv_buffer_add(&merge->found, &f, sizeof f);
    }
    *count = merge->found.size / sizeof(struct found);
    struct found *all = (struct found *)(void *)merge->found.data;
    if (!is_sorted)
        qsort(all, *count, sizeof *all, compare_any);
    return all;
}

static const char *merge_path_of(
    const struct vv_merge *merge, uint32_t value, struct vv_buffer *path)
{
    struct vv_saved_paths paths;
    struct vv_index index;
    const struct vv_context *context = &merge->save_plan->context;
    if (vv_save_plan_index(merge->save_plan, &index, NULL) ||
        vv_saved_paths_begin(&paths, &context->allocator, &index, 0, NULL))
        return "a slice";
    vv_saved_path(&paths, vv_at32(index.value_nodes, value), path);
    vv_saved_paths_end(&paths);
    return vv_buffer_string(path);
}

static void set_element_text(const struct vv_cover *cover,
    const struct vv_cover_fault *fault, struct vv_buffer *text)
{
    vv_buffer_add8(text, '[');
    for (uint32_t k = 0; k < cover->type->rank; k++) {
        if (k > 0)
            vv_buffer_add8(text, ',');
        vv_buffer_add_decimal(text, fault->element[k]);
    }
    vv_buffer_add8(text, ']');
}

static varve_status merge_fail_cover(const struct vv_merge *merge,
    const struct vv_save_plan_slice *slice, const struct found *all,
    const struct vv_cover *cover, varve_error *error)
{
    char whole[VARVE_TENSOR_TEXT_SIZE];
    struct vv_buffer path, element;
    struct vv_cover_fault fault;
    vv_buffer_init(&path, &merge->save_plan->context.allocator);
    vv_buffer_init(&element, &merge->save_plan->context.allocator);
    const char *name = merge_path_of(merge, slice->value, &path);
    varve_tensor_text(&slice->whole, whole);
    bool is_found = vv_cover_find_fault(cover, &fault);
    if (is_found)
        set_element_text(cover, &fault, &element);
    if (!is_found)
        vv_fail(error, VARVE_MISUSE,
            "%s: %s: the shards do not cover each element of %s exactly once",
            merge->path, name, whole);
    else if (fault.times == 0)
        vv_fail(error, VARVE_MISUSE,
            "%s: %s: the shards do not cover %s: no rank has element %s",
            merge->path, name, whole, vv_buffer_string(&element));
    else
        vv_fail(error, VARVE_MISUSE,
            "%s: %s: the shards of %s overlap: element %s is at rank %" PRIu32
            " and rank %" PRIu32,
            merge->path, name, whole, vv_buffer_string(&element),
            all[fault.boxes[0]].owner, all[fault.boxes[1]].owner);
    vv_buffer_clear(&element);
    vv_buffer_clear(&path);
    return VARVE_MISUSE;
}

/* Fails unless the shards cover the value exactly once. `at` is the offset in
 * the column of the first box. */
static varve_status check_cover(struct vv_merge *merge,
    const struct vv_save_plan_slice *slice, const struct found *all,
    size_t count, size_t at, varve_error *error)
{
    const struct vv_buffer *boxes = &merge->added.piece_boxes;
    const uint8_t *first = boxes->size > at ? boxes->data + at : boxes->data;
    const struct vv_index index = { .piece_boxes = first };
    const struct vv_cover cover = {
        .index = &index, .type = &slice->whole, .count = (uint32_t)count
    };
    uint64_t seed = vv_hash_of(first, boxes->size - at);
    return vv_cover_is_exact(&cover, seed)
               ? VARVE_OK
               : merge_fail_cover(merge, slice, all, &cover, error);
}

static void place_slices(
    struct vv_merge *merge, const struct found *all, size_t count)
{
    uint64_t place = merge_next_place(merge);
    for (size_t i = 0; i < count; i++) {
        const struct vv_slice_message message =
            vv_contribution_slice(all[i].message, all[i].rank);
        struct vv_placed placed = { place, message.size, all[i].owner,
            message.offset };
        vv_buffer_add(&merge->placed, &placed, sizeof placed);
        vv_buffer_add(&merge->added.digests, message.digests,
            (size_t)vv_chunk_count(message.size) * VV_DIGEST_SIZE);
        place += message.size;
    }
}

/* Adds the shards of a value to the index. Boxes are sent as the column stores
 * them. A single shard is the whole value and needs no box. */
static varve_status take_slices(struct vv_merge *merge,
    const struct vv_save_plan_slice *slice, varve_error *error)
{
    struct vv_index_columns *added = &merge->added;
    size_t count, at = added->piece_boxes.size;
    const struct found *all = find_slices(merge, slice, &count);
    if (merge->found.failed)
        return merge_no_memory(error);
    if (slice->whole_size == 0)
        return VARVE_OK;
    for (size_t i = 0; i < count; i++)
        vv_buffer_add(
            &added->piece_boxes, all[i].message, 16 * (size_t)slice->rank);
    if (added->piece_boxes.failed)
        return merge_no_memory(error);
    VV_TRY(check_cover(merge, slice, all, count, at, error));
    if (count > 1)
        vv_index_end_pieces(
            added, (uint32_t)merge->next_whole, (uint32_t)count);
    else
        added->piece_boxes.size = at;
    place_slices(merge, all, count);
    return VARVE_OK;
}

/* --- Digests and places --------------------------------------------------- */

static varve_status make_next_slices(struct vv_merge *merge, varve_error *error)
{
    const varve_allocator *a = &merge->save_plan->context.allocator;
    merge->next_slices =
        vv_allocate_array(a, merge->comm->size, sizeof *merge->next_slices);
    return merge->next_slices ? VARVE_OK : merge_no_memory(error);
}

/* Reserves memory for the data of shards at once. `size` is an upper bound for
 * it. */
static void merge_reserve(struct vv_merge *merge, size_t size, size_t stretches)
{
    size_t slices, ranks = merge->comm->size, boxes = 0;
    const struct vv_save_plan_slice *slice =
        vv_save_plan_slices(merge->save_plan, &slices);
    for (size_t i = 0; i < slices; i++)
        boxes += 16 * (size_t)slice[i].rank * ranks;
    vv_buffer_reserve(&merge->added.piece_boxes, boxes);
    vv_buffer_reserve(&merge->added.digests,
        size - boxes - 16 * slices * ranks +
            merge->save_plan->columns.index.digests.size);
    vv_buffer_reserve(&merge->placed,
        (slices * ranks + stretches + merge->save_plan->value_count) *
            sizeof(struct vv_placed));
}

static void find_next_slices(struct vv_merge *merge)
{
    const uint8_t *at = merge->all->bytes.data;
    size_t size = 0, stretches = 0;
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        const struct vv_contribution c = vv_contribution_of(at);
        merge->next_slices[i] = c.slices;
        at += merge->all->sizes[i];
        size += (size_t)(at - c.slices);
        stretches += c.stretch_count;
    }
    merge_reserve(merge, size, stretches);
}

/* Adds the locations of the replicated data from `begin` to `end`, as it was
 * divided among ranks. In the merged data it begins at `place`. A stretch may
 * contain several values, and a value may span several stretches. */
static void take_stretches(
    struct vv_merge *merge, uint64_t begin, uint64_t end, uint64_t place)
{
    size_t count = merge->stretches.size / sizeof(struct vv_placed);
    const struct vv_placed *all =
        (const struct vv_placed *)(const void *)merge->stretches.data;
    for (; merge->next_stretch < count; merge->next_stretch++) {
        const struct vv_placed *p = &all[merge->next_stretch];
        uint64_t from = p->place > begin ? p->place : begin;
        uint64_t to = p->place + p->size < end ? p->place + p->size : end;
        struct vv_placed placed = { place + (from - begin), to - from, p->owner,
            p->offset + (from - p->place) };
        if (p->place >= end)
            return;
        if (from < to)
            vv_buffer_add(&merge->placed, &placed, sizeof placed);
        if (p->place + p->size > end)
            return;
    }
}

static void take_common(struct vv_merge *merge, size_t digests)
{
    uint32_t value = merge->next_value;
    uint64_t begin = vv_at64(merge->share->offsets.data, value);
    uint64_t size = vv_at64(merge->share->sizes.data, value);
    if (digests > 0)
        vv_buffer_add(&merge->added.digests, merge->next_digests, digests);
    if (size > 0)
        take_stretches(merge, begin, begin + size, merge_next_place(merge));
}

/* Takes the values up to `end`. Replicated values are taken from rank 0. */
static varve_status take_values(
    struct vv_merge *merge, uint32_t end, varve_error *error)
{
    const struct vv_index_columns *c = &merge->save_plan->columns.index;
    size_t slices;
    const struct vv_save_plan_slice *all =
        vv_save_plan_slices(merge->save_plan, &slices);
    for (; merge->next_value < end; merge->next_value++) {
        uint64_t size = vv_at64(c->value_sizes.data, merge->next_value);
        size_t count = (size_t)vv_chunk_count(size) * VV_DIGEST_SIZE;
        merge_take_private(merge);
        if (slices > 0 && merge->next_slice < all + slices &&
            merge->next_slice->value == merge->next_value)
            VV_TRY(take_slices(merge, merge->next_slice++, error));
        else
            take_common(merge, count);
        if (count > 0) /* else the pointer may be NULL */
            merge->next_digests += count;
        merge->next_whole++;
    }
    if (end == merge->save_plan->value_count)
        merge_take_private(merge);
    return merge->placed.failed ? merge_no_memory(error) : VARVE_OK;
}

static void find_stretches(struct vv_merge *merge)
{
    const uint8_t *at = merge->all->bytes.data;
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        const struct vv_contribution c = vv_contribution_of(at);
        at += merge->all->sizes[i];
        for (size_t k = 0; k < c.stretch_count; k++) {
            struct vv_placed placed = {
                .place = vv_at64(c.stretches, 3 * k),
                .size = vv_at64(c.stretches, 3 * k + 1),
                .owner = i,
                .offset = vv_at64(c.stretches, 3 * k + 2),
            };
            vv_buffer_add(&merge->stretches, &placed, sizeof placed);
        }
    }
}

static int compare_placed(const void *a, const void *b)
{
    const struct vv_placed *one = a, *other = b;
    return one->place < other->place ? -1 : one->place > other->place;
}

static void sort_placed(struct vv_buffer *placed)
{
    size_t count = placed->size / sizeof(struct vv_placed), i = 1;
    struct vv_placed *all = (struct vv_placed *)(void *)placed->data;
    while (i < count && all[i - 1].place <= all[i].place)
        i++;
    if (i < count)
        qsort(all, count, sizeof *all, compare_placed);
}

/* --- All ------------------------------------------------------------------ */

static void merge_begin(struct vv_merge *merge)
{
    const varve_allocator *a = &merge->save_plan->context.allocator;
    size_t slices;
    vv_index_columns_begin(&merge->added, a);
    vv_buffer_init(&merge->placed, a);
    vv_buffer_init(&merge->found, a);
    vv_buffer_init(&merge->stretches, a);
    merge->next_digests = merge->save_plan->columns.index.digests.data;
    merge->next_slice = vv_save_plan_slices(merge->save_plan, &slices);
    merge->end = merge->share->end;
}

varve_status vv_merge_begin(struct vv_merge *merge, varve_error *error)
{
    merge_begin(merge);
    VV_TRY(vv_merge_place_regions(merge, error));
    VV_TRY(make_next_slices(merge, error));
    find_stretches(merge);
    if (merge->stretches.failed)
        return merge_no_memory(error);
    sort_placed(&merge->stretches);
    return merge_has_private(merge) ? merge_splice(merge, error) : VARVE_OK;
}

varve_status vv_merge_make(struct vv_merge *merge, varve_error *error)
{
    VV_TRY(vv_merge_begin(merge, error));
    if (vv_writes_by_chunks(merge->save_plan))
        VV_TRY(vv_merge_chunks_begin(merge, error));
    find_next_slices(merge);
    VV_TRY(take_values(merge, (uint32_t)merge->save_plan->value_count, error));
    if (vv_index_columns_failed(&merge->added))
        return merge_no_memory(error);
    return merge->firsts ? VARVE_OK : vv_merge_places(merge, NULL, error);
}

varve_status vv_merge_take(struct vv_merge *merge,
    const struct vv_gathered *slices, uint32_t end, varve_error *error)
{
    const uint8_t *at = slices->bytes.data;
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        merge->next_slices[i] = at;
        at += slices->sizes[i];
    }
    merge->placed.size = 0;
    return take_values(merge, end, error);
}

void vv_merge_clear(struct vv_merge *merge)
{
    const varve_allocator *a = &merge->save_plan->context.allocator;
    size_t ranks = merge->comm->size;
    if (merge->regions)
        vv_release(a, merge->regions, ranks * sizeof *merge->regions);
    if (merge->files)
        vv_release(a, merge->files, ranks * sizeof *merge->files);
    if (merge->next_slices)
        vv_release(a, merge->next_slices, ranks * sizeof *merge->next_slices);
    vv_merge_chunks_end(merge);
    merge_private_end(merge);
    vv_index_columns_end(&merge->added);
    vv_buffer_clear(&merge->placed);
    vv_buffer_clear(&merge->found);
    vv_buffer_clear(&merge->stretches);
}

/* Replaces the index except for counter and metadata. */
static void take_spliced(const struct vv_merge *merge, struct vv_index *index)
{
    struct vv_index whole = vv_index_of_columns(&merge->splice.columns);
    whole.counter = index->counter;
    whole.metadata = index->metadata;
    whole.metadata_count = index->metadata_count;
    *index = whole;
}

/* Sets the sizes of columns that are in the spill file. */
static void take_spilled_columns(
    const struct vv_merge *merge, struct vv_index *index)
{
    for (size_t key = 0; key < VV_SPILL_KEYS; key++) {
        uint64_t size = merge->spill->sizes[key];
        if (size > 0)
            vv_column_set(
                &vv_columns[key], index, NULL, size / vv_columns[key].element);
    }
    index->source = &merge->source;
}

varve_status vv_merge_index(
    const struct vv_merge *merge, struct vv_index *index, varve_error *error)
{
    VV_TRY(vv_save_plan_index(merge->save_plan, index, error));
    const struct vv_index added = vv_index_of_columns(&merge->added);
    if (merge->is_spliced)
        take_spliced(merge, index);
    else
        vv_share_lay_out(merge->share, index);
    index->digests = added.digests;
    index->digest_count = added.digest_count;
    index->pieced_count = added.pieced_count;
    index->pieced_values = added.pieced_values;
    index->piece_ends = added.piece_ends;
    index->piece_boxes = added.piece_boxes;
    index->box_number_count = added.box_number_count;
    index->layer_count = added.layer_count;
    index->layer_nonces = added.layer_nonces;
    index->layer_sizes = added.layer_sizes;
    index->place_count = added.place_count;
    index->place_begins = added.place_begins;
    index->place_layers = added.place_layers;
    index->place_offsets = added.place_offsets;
    index->packed_count = added.packed_count;
    index->place_packed = added.place_packed;
    index->place_plain = added.place_plain;
    index->place_skips = added.place_skips;
    index->place_planes = added.place_planes;
    if (merge->spill)
        take_spilled_columns(merge, index);
    return VARVE_OK;
}
