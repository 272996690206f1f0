/* layer_check.c - which layers there are, and what of the data lies where in
 * them. That the files are there and as large is seen when they are opened.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layer_check.h"

#include <inttypes.h>

#include "layers_in.h"
#include "layout.h"
#include "try.h"

enum { ENDS_SIZE = VV_HEADER_SIZE + VV_FOOTER_SIZE };

static bool is_named_before(const struct vv_index *index, uint32_t layer)
{
    const uint8_t *nonces = index->layer_nonces;
    for (uint32_t i = 0; i < layer; i++) {
        if (memcmp(nonces + (size_t)i * VV_NONCE_SIZE,
                nonces + (size_t)layer * VV_NONCE_SIZE, VV_NONCE_SIZE) == 0)
            return true;
    }
    return false;
}

static varve_status check_layer(
    const struct vv_index_check *check, uint32_t layer)
{
    const struct vv_index *index = check->index;
    uint64_t size = vv_at64(index->layer_sizes, layer);
    if (is_named_before(index, layer))
        return vv_check_fail(check,
            index->layer_nonces + (size_t)layer * VV_NONCE_SIZE,
            "layer %" PRIu32 ": expected a nonce of its own, found that of "
            "another",
            layer);
    if (size < ENDS_SIZE || size > INT64_MAX)
        return vv_check_fail(check, index->layer_sizes + 8 * (size_t)layer,
            "layer %" PRIu32 ": expected a size from %d to below 2^63, found "
            "%" PRIu64,
            layer, ENDS_SIZE, size);
    return VARVE_OK;
}

/* VV_NONE: zeros that lie nowhere. */
static varve_status check_zeros(const struct vv_index_check *check, uint32_t i)
{
    const struct vv_index *index = check->index;
    if (vv_at64(index->place_offsets, i) == 0)
        return VARVE_OK;
    return vv_check_fail(check, index->place_offsets + 8 * (size_t)i,
        "place %" PRIu32 ": expected zeros at offset 0, found another", i);
}

/* Layers are numbered as places first name them: *next is the one that may come
 * now. */
static varve_status check_place(const struct vv_index_check *check, uint32_t i,
    uint64_t end, uint32_t *next)
{
    const struct vv_index *index = check->index;
    uint64_t begin = vv_at64(index->place_begins, i);
    uint64_t behind = vv_place_end(index, i, end);
    uint32_t layer = vv_at32(index->place_layers, i);
    uint64_t offset = vv_at64(index->place_offsets, i);
    if (begin >= behind || behind > end || (i == 0 && begin != VV_HEADER_SIZE))
        return vv_check_fail(check, index->place_begins + 8 * (size_t)i,
            "place %" PRIu32 ": expected places that increase from %d to below "
            "%" PRIu64 ", found %" PRIu64 " before %" PRIu64,
            i, VV_HEADER_SIZE, end, begin, behind);
    if (layer == VV_NONE)
        return check_zeros(check, i);
    if (layer > *next || layer >= index->layer_count)
        return vv_check_fail(check, index->place_layers + 4 * (size_t)i,
            "place %" PRIu32 ": expected a layer that was named, or the next "
            "of %" PRIu32 ", %" PRIu32 "; found %" PRIu32,
            i, index->layer_count, *next, layer);
    uint64_t most = vv_at64(index->layer_sizes, layer) - VV_FOOTER_SIZE;
    if (offset < VV_HEADER_SIZE || offset > most ||
        behind - begin > most - offset)
        return vv_check_fail(check, index->place_offsets + 8 * (size_t)i,
            "place %" PRIu32 ": expected %" PRIu64 " bytes from %d to %" PRIu64
            " of its layer, found them at "
            "%" PRIu64,
            i, behind - begin, VV_HEADER_SIZE, most, offset);
    *next += layer == *next;
    return VARVE_OK;
}

varve_status vv_check_layers(const struct vv_index_check *check, uint64_t end)
{
    const struct vv_index *index = check->index;
    uint32_t next = 0;
    if (index->layer_count > VV_MOST_LAYERS)
        return vv_check_fail(check, index->layer_nonces,
            "layers: expected %d at most, found %" PRIu32, VV_MOST_LAYERS,
            index->layer_count);
    for (uint32_t i = 0; i < index->layer_count; i++)
        VV_TRY(check_layer(check, i));
    for (uint32_t i = 0; i < index->place_count; i++)
        VV_TRY(check_place(check, i, end, &next));
    if (next != index->layer_count)
        return vv_check_fail(check, index->layer_nonces,
            "layers: expected places in %" PRIu32 ", found them in %" PRIu32,
            index->layer_count, next);
    return VARVE_OK;
}
