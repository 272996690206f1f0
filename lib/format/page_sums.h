/* page_sums.h - chunks that are summed page by page: of one that changes in a
 * few places only these have to be summed, and written, again.
 *
 * Such a chunk is of full size, and its digest is that of the digests of its
 * pages, which are in the index too. Which chunks are summed so depends on the
 * saves before: what the digest of one says of its bytes, it says beside files
 * of the same history only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PAGE_SUMS_H
#define VV_PAGE_SUMS_H

#include "checksum.h"
#include "index_check.h"
#include "layout.h"

enum {
    VV_CHUNK_PAGES = VV_CHUNK_SIZE / VV_PAGE_ALIGNMENT,
    VV_PAGE_SUMS_SIZE = VV_CHUNK_PAGES * VV_DIGEST_SIZE, /* of a chunk */
};

/* The digests of the pages of a chunk, by its number among all; NULL where it
 * is summed as a whole. Binary search; one comparison where all are. */
const uint8_t *vv_page_sums_find(const struct vv_index *index, uint64_t chunk);

/* Whether one of some chunks is summed by pages. */
bool vv_page_sums_any(
    const struct vv_index *index, uint64_t first, uint64_t count);

/* Fills in the digests of so many bytes, page by page; the last may be short.
 */
void vv_page_sums_make(const uint8_t *bytes, size_t size, uint8_t *sums);

/* The digest of a chunk by those of its pages. */
static inline struct vv_digest vv_page_sums_digest(const uint8_t *sums)
{
    return vv_digest_of(sums, VV_PAGE_SUMS_SIZE);
}

/* The same by its bytes. */
static inline struct vv_digest vv_page_sums_of_chunk(const void *chunk)
{
    uint8_t sums[VV_PAGE_SUMS_SIZE];
    vv_page_sums_make(chunk, VV_CHUNK_SIZE, sums);
    return vv_page_sums_digest(sums);
}

/* That such chunks are of full size, in layers, and in no pieces, and that
 * their digests are those of their pages. */
varve_status vv_check_page_sums(
    const struct vv_index_check *check, const struct vv_value_table *table);

#endif
