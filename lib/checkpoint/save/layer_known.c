/* layer_known.c - Finds chunks and pages that are unchanged and in no layer
 * that is dropped.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layer_known.h"

#include <string.h>

#include "layer_columns.h"

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
