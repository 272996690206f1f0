/* layer_base.c - Opens the base of an incremental save, and finds the chunks
 * and pages that are unchanged since then.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layer_base.h"

#include <string.h>

#include "allocator.h"
#include "data_in.h"
#include "directory.h"
#include "failure.h"
#include "layer_columns.h"
#include "layers_in.h"
#include "layout.h"

/* --- The base ------------------------------------------------------------- */

/* Opens the base of an incremental save, and chooses the layer whose data is
 * written again. */

/* --- Layers that are hardly used ------------------------------------------ */

/* Compressed data is counted by its compressed size, in proportion to the part
 * of each frame that is in use. */
void vv_layer_base_count(const struct vv_layer_base *base, uint64_t *live)
{
    const struct vv_opened *o = &base->file;
    const struct vv_index *index = &o->parsed.index;
    for (uint32_t i = 0; i < index->place_count; i++) {
        uint64_t begin = vv_at64(index->place_begins, i);
        uint64_t size = vv_place_end(index, i, o->data_end) - begin;
        struct vv_layer_place place = vv_layer_place_at(index, i, begin);
        if (place.pack.size)
            size = size * place.pack.size / place.pack.plain;
        if (place.layer != VV_NONE)
            live[place.layer] += size;
    }
}

/* Chooses a layer whose data is written again. If there are too many layers, it
 * is the one with the least live data. If the layers are too large in total, it
 * is the one with the smallest live fraction. So a save writes more than what
 * has changed only if at least as much space is freed. */
static uint32_t layer_base_choose(
    const struct vv_opened *o, const uint64_t *live)
{
    const struct vv_index *index = &o->parsed.index;
    uint64_t total = 0;
    uint32_t least = 0, emptiest = 0;
    for (uint32_t i = 0; i < index->layer_count; i++) {
        uint64_t size = vv_at64(index->layer_sizes, i);
        total += size;
        if (live[i] < live[least])
            least = i;
        if ((double)live[i] / (double)size <
            (double)live[emptiest] /
                (double)vv_at64(index->layer_sizes, emptiest))
            emptiest = i;
    }
    if (index->layer_count >= VV_USUAL_LAYERS)
        return least;
    return total / 2 > o->data_end ? emptiest : VV_NONE;
}

/* --- Opening and closing -------------------------------------------------- */

static bool is_in_same_directory(const char *one, const char *other)
{
    size_t size = (size_t)(vv_path_name(one) - one);
    return size == (size_t)(vv_path_name(other) - other) &&
           memcmp(one, other, size) == 0;
}

/* Returns true if there are values, and all are in one piece and have the same
 * ranks, sizes and offsets in two indices with as many values. */
static bool has_same_places(const struct vv_index *a, const struct vv_index *b)
{
    const size_t size = 8 * (size_t)a->value_count;
    return size > 0 && a->pieced_count == 0 && b->pieced_count == 0 &&
           memcmp(a->value_ranks, b->value_ranks, a->value_count) == 0 &&
           memcmp(a->value_sizes, b->value_sizes, size) == 0 &&
           memcmp(a->value_offsets, b->value_offsets, size) == 0;
}

varve_status vv_layer_base_open(struct vv_layer_base *base,
    const struct vv_context *context, const char *base_path, const char *path,
    const struct vv_index *index, varve_error *error)
{
    uint64_t live[VV_MOST_LAYERS] = { 0 };
    *base = (struct vv_layer_base){ .dropped = VV_NONE };
    if (!is_in_same_directory(base_path, path))
        return VARVE_OK;
    varve_status status =
        vv_data_in_open_like(&base->file, context, base_path, index, NULL);
    if (status)
        return status == VARVE_NO_MEMORY
                   ? vv_fail_memory(error, "the checkpoint before")
                   : VARVE_OK;
    const struct vv_index *older = &base->file.parsed.index;
    base->is_there = older->layer_count > 0 && !vv_layer_is_inside(older) &&
                     (!index || older->value_count == index->value_count);
    if (!base->is_there) {
        vv_layer_base_close(base);
        return VARVE_OK;
    }
    base->is_alike = index && has_same_places(older, index);
    vv_layer_base_count(base, live);
    base->dropped = layer_base_choose(&base->file, live);
    return VARVE_OK;
}

void vv_layer_base_close(struct vv_layer_base *base)
{
    vv_opened_close(&base->file);
}

/* --- Looking up values ---------------------------------------------------- */

bool vv_layer_base_pairs(const struct vv_layer_base *base,
    const struct vv_index *index, uint32_t value)
{
    const struct vv_index *older = &base->file.parsed.index;
    return base->is_there &&
           vv_at64(older->value_sizes, value) ==
               vv_at64(index->value_sizes, value) &&
           vv_index_find_pieces(older, value) == VV_NONE &&
           vv_index_find_pieces(index, value) == VV_NONE;
}

uint64_t vv_layer_base_offset(const struct vv_layer_base *base, uint32_t value)
{
    return vv_at64(base->file.parsed.index.value_offsets, value);
}

uint64_t vv_layer_base_chunk(
    const struct vv_layer_base *base, uint32_t value, uint64_t chunk)
{
    const struct vv_parsed_index *parsed = &base->file.parsed;
    return vv_first_digest(&parsed->index, &parsed->table, value) + chunk;
}

const uint8_t *vv_layer_base_digests(
    const struct vv_layer_base *base, uint32_t value, uint64_t chunk)
{
    return base->file.parsed.index.digests +
           vv_layer_base_chunk(base, value, chunk) * VV_DIGEST_SIZE;
}

bool vv_layer_base_keeps(
    const struct vv_layer_base *base, uint64_t offset, uint64_t size)
{
    const struct vv_index *older = &base->file.parsed.index;
    if (base->dropped == VV_NONE)
        return true;
    for (uint32_t i = vv_place_of(older, offset); i < older->place_count; i++) {
        if (vv_at64(older->place_begins, i) >= offset + size)
            return true;
        if (vv_at32(older->place_layers, i) == base->dropped)
            return false;
    }
    return true;
}

void vv_layer_base_mark(const struct vv_layer_base *base, uint64_t offset,
    uint64_t size, bool *is_dropped)
{
    const struct vv_index *older = &base->file.parsed.index;
    uint64_t end = offset + size;
    uint32_t i = base->dropped == VV_NONE ? older->place_count
                                          : vv_place_of(older, offset);
    for (; i < older->place_count; i++) {
        uint64_t begin = vv_at64(older->place_begins, i);
        if (begin >= end)
            return;
        if (vv_at32(older->place_layers, i) != base->dropped)
            continue;
        uint64_t from = (begin > offset ? begin : offset) - offset;
        uint64_t to = vv_place_end(older, i, end) - offset;
        vv_mark_pages(is_dropped, from, to < size ? to : size);
    }
}

/* --- Unchanged data ------------------------------------------------------- */

/* Finds chunks and pages that are unchanged and in no layer that is dropped. */

struct vv_layer_known vv_layer_known_of(const struct vv_unchanged *unchanged,
    const struct vv_index *index, const struct vv_layer_base *base)
{
    struct vv_layer_known known = {
        .unchanged = unchanged, .index = index, .base = base
    };
    known.is_known =
        base->is_there &&
        vv_unchanged_since(unchanged, &base->file.parsed.index, &known.since);
    return known;
}

static struct vv_span layer_known_span_of(
    const struct vv_layer_known *known, uint32_t value, uint64_t chunk)
{
    uint64_t at = chunk * VV_CHUNK_SIZE;
    uint64_t left = vv_at64(known->index->value_sizes, value) - at;
    return (struct vv_span){ .value = value,
        .at = at,
        .size = left < VV_CHUNK_SIZE ? left : VV_CHUNK_SIZE };
}

const uint8_t *vv_layer_known_digest(
    const struct vv_layer_known *known, uint32_t value, uint64_t chunk)
{
    const struct vv_layer_base *base = known->base;
    if (!known->is_known ||
        vv_at64(known->index->value_sizes, value) < VV_PAGED_SIZE)
        return NULL; /* small values count as changed: see unchanged.c */
    const struct vv_span span = layer_known_span_of(known, value, chunk);
    if (!vv_layer_base_pairs(base, known->index, value) ||
        !vv_is_unchanged(known->unchanged, &span, known->since) ||
        !vv_layer_base_keeps(
            base, vv_layer_base_offset(base, value) + span.at, span.size))
        return NULL;
    return vv_layer_base_digests(base, value, chunk);
}

void vv_layer_known_mark(const struct vv_layer_known *known, uint32_t value,
    uint64_t chunk, bool *is_changed)
{
    const struct vv_layer_base *base = known->base;
    const struct vv_span span = layer_known_span_of(known, value, chunk);
    memset(is_changed, !known->is_known, VV_CHUNK_PAGES * sizeof *is_changed);
    if (!known->is_known)
        return;
    vv_unchanged_mark(known->unchanged, &span, known->since, is_changed);
    vv_layer_base_mark(base, vv_layer_base_offset(base, value) + span.at,
        span.size, is_changed);
}
