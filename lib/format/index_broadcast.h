/* index_broadcast.h - Broadcasts an index, which one process has read and
 * verified, to processes that open the same file.
 *
 * Columns that grow with the number of saving processes remain in the file
 * (paged_columns.h), because each process needs only a small part of them.
 * Their checksums are broadcast instead and, for pieces, a search structure. So
 * each process holds a small part of a large index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_BROADCAST_INDEX_H
#define VV_INDEX_BROADCAST_INDEX_H

#include "paged_columns.h"
#include "index_find.h"
#include "opened.h"

/* Columns of one kind (digests, boxes or places) up to this size in bytes are
 * broadcast with the rest. */
enum { VV_MOST_TOLD = 1 << 20 };

enum { VV_INDEX_BROADCAST_NUMBERS = 2 * VV_FAR_COLUMNS + 11 };

struct vv_index_broadcast {
    /* to fill in */
    /* of an index that each process reads itself */
    struct vv_index_place place;
    /* to read */
    uint64_t size; /* of `bytes`; 0: each process reads the index itself */
    struct vv_digest digest;      /* over words and bytes */
    struct vv_paged_columns *far; /* NULL: no column remains in the file */
    uint64_t word_count;          /* number of words of `far` */
    /* the index without the columns in the file; this and `far` are owned,
     * unless they belong to an opened file (vv_index_broadcast_make) */
    unsigned char *bytes;
    /* own */
    const varve_allocator *allocator;
    /* It was read from the file and not received, so the columns in the file
     * have yet to be checked. */
    bool is_read;
    uint64_t sizes[2 * VV_FAR_COLUMNS];
    struct vv_piece_runs counts;
};

/* Fills in `broadcast` from an opened file of Varve's format, without copying
 * columns. The file must outlive it. End with vv_index_broadcast_clear, which
 * also accepts a zeroed struct. */
void vv_index_broadcast_make(struct vv_index_broadcast *broadcast,
    const struct vv_opened *opened, const struct vv_index_place *place);

/* Converts to and from the numbers, which are broadcast first. far->words and
 * bytes are broadcast after vv_index_broadcast_reserve. */
void vv_index_broadcast_numbers(const struct vv_index_broadcast *broadcast,
    uint64_t numbers[VV_INDEX_BROADCAST_NUMBERS]);
void vv_index_broadcast_take(struct vv_index_broadcast *broadcast,
    const uint64_t numbers[VV_INDEX_BROADCAST_NUMBERS]);
size_t vv_index_broadcast_words(const struct vv_index_broadcast *broadcast);
varve_status vv_index_broadcast_reserve(struct vv_index_broadcast *broadcast,
    const struct vv_context *context, varve_error *error);

/* Returns the digest of words and bytes. */
struct vv_digest vv_index_broadcast_digest(
    const struct vv_index_broadcast *broadcast);

/* Makes it the index of an open file. Passes ownership of *far to the caller,
 * who must keep it as long as the file is open. */
varve_status vv_index_broadcast_use(struct vv_index_broadcast *broadcast,
    struct vv_opened *opened, struct vv_paged_columns **far, int file,
    varve_error *error);

void vv_index_broadcast_clear(struct vv_index_broadcast *broadcast);

#endif
