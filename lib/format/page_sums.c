/* page_sums.c - Stores page digests in two columns: increasing numbers of
 * chunks, and 256 digests for each.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_sums.h"

#include <inttypes.h>
#include <string.h>

#include "paged_columns.h"
#include "layers_in.h"
#include "piece_table.h"
#include "try.h"

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
