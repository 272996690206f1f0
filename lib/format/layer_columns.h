/* layer_columns.h - Checks and searches the columns of incremental checkpoints:
 * layers, places and page digests.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_COLUMNS_H
#define VV_LAYER_COLUMNS_H

#include "checksum.h"
#include "index_check.h"
#include "layout.h"

/* --- Places --------------------------------------------------------------- */

/* Checks the rules of layers and of places in them. */

/* Checks that the places of an index, if any, cover the data up to `end` and
 * are between header and footer of the layers. */
varve_status vv_check_layers(const struct vv_index_check *check, uint64_t end);

/* --- Page digests --------------------------------------------------------- */

/* Digests of single pages of a chunk. If such a chunk changes in a few places,
 * only these pages are hashed and written again.
 *
 * Such a chunk has the full size. Its digest is the digest of its page digests,
 * which are in the index too. The set of chunks with page digests depends on
 * earlier saves. So digests are comparable only between files of the same save
 * history. */

enum {
    VV_CHUNK_PAGES = VV_CHUNK_SIZE / VV_PAGE_ALIGNMENT,
    VV_PAGE_SUMS_SIZE = VV_CHUNK_PAGES * VV_DIGEST_SIZE, /* for a chunk */
};

/* Implements vv_page_sums_find for an index with page digests. */
const uint8_t *vv_page_sums_search(
    const struct vv_index *index, uint64_t chunk);

/* Returns the page digests of a chunk, given its number among all chunks.
 * Returns NULL if it is hashed as a whole. Binary search; one comparison if no
 * chunk has page digests. */
static inline const uint8_t *vv_page_sums_find(
    const struct vv_index *index, uint64_t chunk)
{
    return index->paged_count ? vv_page_sums_search(index, chunk) : NULL;
}

/* Returns true if one of `count` chunks has page digests. */
bool vv_page_sums_any(
    const struct vv_index *index, uint64_t first, uint64_t count);

/* Computes the digests of `size` bytes page by page. The last page can be
 * short. */
void vv_page_sums_make(const uint8_t *bytes, size_t size, uint8_t *sums);

/* Returns the digest of a chunk, given its page digests. */
static inline struct vv_digest vv_page_sums_digest(const uint8_t *sums)
{
    return vv_digest_of(sums, VV_PAGE_SUMS_SIZE);
}

/* Returns the same digest, given the bytes of the chunk. */
static inline struct vv_digest vv_page_sums_of_chunk(const void *chunk)
{
    uint8_t sums[VV_PAGE_SUMS_SIZE];
    vv_page_sums_make(chunk, VV_CHUNK_SIZE, sums);
    return vv_page_sums_digest(sums);
}

/* Checks that such chunks have the full size, are in layers and not in pieces,
 * and that their digests match their page digests. */
varve_status vv_check_page_sums(
    const struct vv_index_check *check, const struct vv_value_table *table);

#endif
