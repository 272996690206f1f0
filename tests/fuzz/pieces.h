/* pieces.h - a file taken apart into what a mutation can bend, and put together
 * again with the lengths, places and digests that a writer would give it.
 *
 * It believes less than a reader, and knows the layout by itself: what a reader
 * would refuse is taken apart as well, as far as it has an index at all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_PIECES_H
#define FUZZ_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

/* An entry of the index: a column, or any other item as it is encoded. */
struct piece {
    uint64_t key;
    uint64_t tag; /* 0: none */
    bool is_column;
    struct vv_buffer bytes;
};

enum { MOST_PIECES = 48 };

struct pieces {
    struct piece items[MOST_PIECES];
    size_t count;
    struct vv_buffer data; /* the file from its beginning to the index */
    struct vv_buffer flags;
    int64_t more_pairs; /* what the head of the map says too much or less */
};

/* How much is made right again. */
enum pieces_seal {
    SEAL_NOTHING = 0, /* lengths and magic only */
    SEAL_ENDS = 1,    /* the digests of header, footer and index */
    SEAL_VALUES = 2,  /* the digests of values too, where they lie */
    SEAL_PLACES = 3,  /* values are placed anew by their sizes */
};

/* False, and nothing to clear, if there is no index to be found. */
bool pieces_begin(struct pieces *p, const uint8_t *bytes, size_t size);
void pieces_clear(struct pieces *p);

/* The file; at most `room` bytes, else nothing: 0. */
size_t pieces_end(
    struct pieces *p, enum pieces_seal seal, uint8_t *bytes, size_t room);

/* The column of a key, or NULL. */
struct piece *pieces_find(struct pieces *p, uint64_t key);

/* Adds an empty entry at a place; NULL if there is no more room. */
struct piece *pieces_insert(struct pieces *p, size_t at);
void pieces_remove(struct pieces *p, size_t at);

#endif
