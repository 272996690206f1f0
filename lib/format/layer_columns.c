/* layer_columns.c - Checks and searches the columns of incremental checkpoints:
 * layers, places and page digests.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layer_columns.h"

#include <inttypes.h>
#include <string.h>

#include "layers_in.h"
#include "layout.h"
#include "paged_columns.h"
#include "piece_table.h"
#include "try.h"

/* --- Places --------------------------------------------------------------- */

/* Checks the list of layers, and the places of the data in them. Existence and
 * size of the files are checked when they are opened. */

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

static varve_status layer_check_layer(
    const struct vv_index_check *check, uint32_t layer)
{
    const struct vv_index *index = check->index;
    uint64_t size = vv_at64(index->layer_sizes, layer);
    if (is_named_before(index, layer))
        return vv_check_fail(check,
            index->layer_nonces + (size_t)layer * VV_NONCE_SIZE,
            "layer %" PRIu32 ": the nonce is not unique", layer);
    if (vv_layer_is_inside(index) && size != check->data_end)
        return vv_check_fail(check, index->layer_sizes,
            "layer 0: expected the size %" PRIu64 " of the file up to the "
            "index, found %" PRIu64,
            check->data_end, size);
    if (!vv_layer_is_inside(index) && (size < ENDS_SIZE || size > INT64_MAX))
        return vv_check_fail(check, index->layer_sizes + 8 * (size_t)layer,
            "layer %" PRIu32 ": expected a size from %d to below 2^63, found "
            "%" PRIu64,
            layer, ENDS_SIZE, size);
    return VARVE_OK;
}

/* Returns the address of an element of a column for error messages. For columns
 * in the file, returns the start of the index. */
static const uint8_t *layer_check_at(const struct vv_index_check *check,
    const uint8_t *column, size_t size, uint32_t i)
{
    return vv_is_in_file(check->index, VV_KEY_PLACE_BEGINS) ? check->bytes
                                                            : column + size * i;
}

static uint64_t layer_check_offset_of(
    const struct vv_index *index, uint32_t place)
{
    return vv_place_number(
        index, VV_KEY_PLACE_OFFSETS, index->place_offsets, 8, place);
}

/* Places of decompressed bytes begin and end at pages, or at the end of the
 * frame. So the work that a file can cause is proportional to its data. */
static varve_status check_packed(const struct vv_index_check *check, uint32_t i,
    const struct vv_layer_place *place, uint64_t size)
{
    const struct vv_pack *pack = &place->pack;
    uint64_t end = place->skip + size;
    bool is_plain = pack->plain == 0 && place->skip == 0 && pack->planes == 0;
    bool is_good = pack->plain >= VV_LEAST_PACKED &&
                   pack->plain <= VV_CHUNK_SIZE &&
                   pack->size <= vv_pack_limit(pack->plain) &&
                   (pack->planes == 1 || pack->planes == 2 ||
                       pack->planes == 4 || pack->planes == VV_MOST_PLANES) &&
                   end <= pack->plain && place->skip % VV_PAGE_ALIGNMENT == 0 &&
                   (end % VV_PAGE_ALIGNMENT == 0 || end == pack->plain);
    if (pack->size > 0 && place->layer != VV_NONE ? is_good
                                                  : is_plain && !pack->size)
        return VARVE_OK;
    return vv_check_fail(check,
        layer_check_at(check, check->index->place_packed, 4, i),
        "place %" PRIu32 ": its %" PRIu64
        " bytes are neither plain nor pages of a compressed chunk",
        i, size);
}

/* Checks a place with the layer VV_NONE: zeros, which are not stored. */
static varve_status check_zeros(const struct vv_index_check *check, uint32_t i)
{
    const struct vv_index *index = check->index;
    if (layer_check_offset_of(index, i) == 0)
        return VARVE_OK;
    return vv_check_fail(check,
        layer_check_at(check, index->place_offsets, 8, i),
        "place %" PRIu32 ": zeros must have offset 0", i);
}

/* Layers are numbered in the order in which places first refer to them. *next
 * is the number of the next new layer. */
static varve_status layer_check_place(const struct vv_index_check *check,
    uint32_t i, uint64_t end, uint32_t *next)
{
    const struct vv_index *index = check->index;
    uint64_t begin =
        vv_place_number(index, VV_KEY_PLACE_BEGINS, index->place_begins, 8, i);
    uint64_t behind = vv_place_end(index, i, end);
    uint32_t layer = (uint32_t)vv_place_number(
        index, VV_KEY_PLACE_LAYERS, index->place_layers, 4, i);
    uint64_t offset = layer_check_offset_of(index, i);
    if (begin >= behind || behind > end || (i == 0 && begin != VV_HEADER_SIZE))
        return vv_check_fail(check,
            layer_check_at(check, index->place_begins, 8, i),
            "place %" PRIu32 ": places must increase from %d to below %" PRIu64
            ", found %" PRIu64 " before %" PRIu64,
            i, VV_HEADER_SIZE, end, begin, behind);
    struct vv_layer_place place = vv_layer_place_at(index, i, begin);
    VV_TRY(check_packed(check, i, &place, behind - begin));
    if (layer == VV_NONE)
        return check_zeros(check, i);
    uint64_t size = place.pack.size ? place.pack.size : behind - begin;
    if (layer > *next || layer >= index->layer_count)
        return vv_check_fail(check,
            layer_check_at(check, index->place_layers, 4, i),
            "place %" PRIu32
            ": expected a layer that was named before, or the next of %" PRIu32
            ", %" PRIu32 "; found %" PRIu32,
            i, index->layer_count, *next, layer);
    uint64_t most = vv_at64(index->layer_sizes, layer) -
                    (vv_layer_is_inside(index) ? 0 : VV_FOOTER_SIZE);
    if (offset < VV_HEADER_SIZE || offset > most || size > most - offset)
        return vv_check_fail(check,
            layer_check_at(check, index->place_offsets, 8, i),
            "place %" PRIu32 ": expected %" PRIu64 " bytes from %d to %" PRIu64
            " of its layer, found them at %" PRIu64,
            i, size, VV_HEADER_SIZE, most, offset);
    *next += layer == *next;
    return VARVE_OK;
}

/* Checks that the columns of compression are absent if no place is compressed.
 * With a layer in the file itself they must be present: a checkpoint without
 * compression has no such layer. */
static varve_status check_is_any_packed(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    uint32_t i = 0;
    bool is_inside = vv_layer_is_inside(index);
    if (index->packed_count == 0 && !is_inside)
        return VARVE_OK;
    while (
        i < index->packed_count && vv_place_number(index, VV_KEY_PLACE_PACKED,
                                       index->place_packed, 4, i) == 0)
        i++;
    if ((is_inside || i < index->packed_count) &&
        index->packed_count == index->place_count)
        return VARVE_OK;
    return vv_check_fail(check, index->place_begins,
        "places: one of %" PRIu32 " must be compressed, found %" PRIu32
        " plain ones",
        index->place_count, i);
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
        VV_TRY(layer_check_layer(check, i));
    if (vv_is_checked(index, VV_KEY_PLACE_BEGINS))
        return VARVE_OK;
    VV_TRY(check_is_any_packed(check));
    for (uint32_t i = 0; i < index->place_count; i++)
        VV_TRY(layer_check_place(check, i, end, &next));
    if (next != index->layer_count)
        return vv_check_fail(check, index->layer_nonces,
            "layers: expected places in %" PRIu32 ", found them in %" PRIu32,
            index->layer_count, next);
    return VARVE_OK;
}

/* --- Page digests --------------------------------------------------------- */

/* Stores page digests in two columns: increasing numbers of chunks, and 256
 * digests for each. */

/* Returns the index of the first chunk with page digests that is not before
 * `chunk`. */
static uint64_t page_sums_lower_bound(
    const struct vv_index *index, uint64_t chunk)
{
    uint64_t low = 0, high = index->paged_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (vv_at64(index->paged_chunks, (size_t)middle) < chunk)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const uint8_t *vv_page_sums_search(const struct vv_index *index, uint64_t chunk)
{
    uint64_t i = page_sums_lower_bound(index, chunk);
    if (i == index->paged_count ||
        vv_at64(index->paged_chunks, (size_t)i) != chunk)
        return NULL;
    return index->page_digests + (size_t)i * VV_PAGE_SUMS_SIZE;
}

bool vv_page_sums_any(
    const struct vv_index *index, uint64_t first, uint64_t count)
{
    uint64_t i = index->paged_count ? page_sums_lower_bound(index, first) : 0;
    return i < index->paged_count &&
           vv_at64(index->paged_chunks, (size_t)i) - first < count;
}

void vv_page_sums_make(const uint8_t *bytes, size_t size, uint8_t *sums)
{
    for (size_t at = 0; at < size; at += VV_PAGE_ALIGNMENT) {
        size_t left = size - at;
        struct vv_digest digest = vv_digest_of(bytes + at,
            left < VV_PAGE_ALIGNMENT ? left : (size_t)VV_PAGE_ALIGNMENT);
        memcpy(sums, digest.bytes, sizeof digest.bytes);
        sums += sizeof digest.bytes;
    }
}

/* --- The rules ------------------------------------------------------------ */

struct place {
    uint32_t value;
    uint64_t first; /* its first chunk */
};

/* Returns true if a chunk has the full size and its value is not in pieces.
 * Moves `at` to its value. */
static bool may_be_paged(const struct vv_index *index,
    const struct vv_value_table *table, uint64_t chunk, struct place *at)
{
    while (at->value < index->value_count) {
        uint64_t count = vv_value_chunks(index, table, at->value);
        if (chunk < at->first + count)
            break;
        at->first += count;
        at->value++;
    }
    return at->value < index->value_count &&
           vv_index_find_pieces(index, at->value) == VV_NONE &&
           chunk - at->first <
               vv_at64(index->value_sizes, at->value) / VV_CHUNK_SIZE;
}

static varve_status check_sums(
    const struct vv_index_check *check, uint64_t i, uint64_t chunk)
{
    const struct vv_index *index = check->index;
    const uint8_t *sums = index->page_digests + (size_t)i * VV_PAGE_SUMS_SIZE;
    struct vv_digest digest = vv_page_sums_digest(sums), expected;
    if (vv_is_in_file(index, VV_KEY_DIGESTS))
        vv_paged_get(index, VV_KEY_DIGESTS, chunk * VV_DIGEST_SIZE,
            expected.bytes, VV_DIGEST_SIZE);
    else
        memcpy(expected.bytes, index->digests + chunk * VV_DIGEST_SIZE,
            VV_DIGEST_SIZE);
    if (vv_digest_equal(&digest, &expected))
        return VARVE_OK;
    return vv_check_fail(check, sums,
        "chunk %" PRIu64 ": the checksums of its pages do not match its own",
        chunk);
}

varve_status vv_check_page_sums(
    const struct vv_index_check *check, const struct vv_value_table *table)
{
    const struct vv_index *index = check->index;
    struct place at = { 0 };
    uint64_t least = 0;
    if (index->paged_count != index->page_digest_count / VV_CHUNK_PAGES ||
        index->page_digest_count % VV_CHUNK_PAGES != 0)
        return vv_check_fail(check, index->page_digests,
            "page checksums: expected %" PRIu64 ", found %" PRIu64,
            index->paged_count * VV_CHUNK_PAGES, index->page_digest_count);
    if (index->paged_count > 0 &&
        (index->layer_count == 0 || vv_layer_is_inside(index)))
        return vv_check_fail(check, index->paged_chunks,
            "page checksums are permitted in data files only");
    for (uint64_t i = 0; i < index->paged_count; i++) {
        uint64_t chunk = vv_at64(index->paged_chunks, (size_t)i);
        if (chunk < least || !may_be_paged(index, table, chunk, &at))
            return vv_check_fail(check, index->paged_chunks + 8 * (size_t)i,
                "page checksums: the chunks must be whole, in order, and of "
                "values in one piece, found %" PRIu64,
                chunk);
        least = chunk + 1;
        if (!vv_is_checked(index, VV_KEY_DIGESTS))
            VV_TRY(check_sums(check, i, chunk));
    }
    return VARVE_OK;
}
