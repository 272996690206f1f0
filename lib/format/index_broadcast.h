/* index_broadcast.h - an index that one has read and verified, told to others
 * who open the same file.
 *
 * What grows with the number of processes that saved, and of which each of the
 * others needs little, stays in the file (paged_columns.h): told are sums of
 * it, and for pieces where to look. So what each holds is little of a large
 * index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_BROADCAST_INDEX_H
#define VV_INDEX_BROADCAST_INDEX_H

#include "paged_columns.h"
#include "index_find.h"
#include "opened.h"

/* Bytes of one kind, digests, boxes or places, that are told with the rest. */
enum { VV_MOST_TOLD = 1 << 20 };

enum { VV_INDEX_BROADCAST_NUMBERS = 2 * VV_FAR_COLUMNS + 11 };

struct vv_index_broadcast {
    /* to fill in */
    struct vv_index_place place; /* of one that each opens for himself */
    /* to read */
    uint64_t size; /* of the bytes; 0: each opens the file for himself */
    struct vv_digest digest;      /* of words and bytes */
    struct vv_paged_columns *far; /* NULL: none is far */
    uint64_t word_count;          /* of its words */
    unsigned char *bytes; /* the index without the far columns; this and `far`
                             are owned, unless they were made of an opened file
                             */
    /* own */
    const varve_allocator *allocator;
    bool is_read; /* from the file, and not told: its far columns are to be
                     checked */
    uint64_t sizes[2 * VV_FAR_COLUMNS];
    struct vv_piece_runs counts;
};

/* What to tell of an opened file of ours, whose columns are where they are. The
 * file outlives it. End with vv_index_broadcast_clear, which takes zeroed ones
 * as well. */
void vv_index_broadcast_make(struct vv_index_broadcast *told,
    const struct vv_opened *opened, const struct vv_index_place *place);

/* Told as these numbers first; then far->words and bytes, for which there is
 * room. */
void vv_index_broadcast_numbers(const struct vv_index_broadcast *told,
    uint64_t numbers[VV_INDEX_BROADCAST_NUMBERS]);
void vv_index_broadcast_take(struct vv_index_broadcast *told,
    const uint64_t numbers[VV_INDEX_BROADCAST_NUMBERS]);
size_t vv_index_broadcast_words(const struct vv_index_broadcast *told);
varve_status vv_index_broadcast_make_room(struct vv_index_broadcast *told,
    const struct vv_context *context, varve_error *error);

/* What words and bytes come to. */
struct vv_digest vv_index_broadcast_digest(
    const struct vv_index_broadcast *told);

/* Makes it the index of a file that is open: `far` goes over to the caller, who
 * gives it the file, and keeps it as long as the file is. */
varve_status vv_index_broadcast_use(struct vv_index_broadcast *told,
    struct vv_opened *opened, struct vv_paged_columns **far, int file,
    varve_error *error);

void vv_index_broadcast_clear(struct vv_index_broadcast *told);

#endif
