/* pieces.h - Declares a decomposed file whose parts a mutation can change, and
 * which can be reassembled with the lengths, offsets and digests that a writer
 * would produce.
 *
 * The decoder is more lenient than a reader and implements the format
 * independently: it also decodes invalid files, provided that they contain an
 * index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_PIECES_H
#define FUZZ_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

/* An entry of the index: a column, or any other item in encoded form. */
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
    struct vv_buffer data; /* the file up to the index */
    struct vv_buffer flags;
    /* difference between the pair count in the map head and the actual one */
    int64_t more_pairs;
};

/* Specifies which fields are recomputed. */
enum pieces_seal {
    SEAL_NOTHING = 0, /* only lengths and magic */
    SEAL_ENDS = 1,    /* also the digests of header, footer and index */
    SEAL_VALUES = 2,  /* also the digests of values, at their current offsets */
    SEAL_PLACES = 3,  /* values also get new offsets according to their sizes */
};

/* Decodes a file. Returns false if no index is found; then nothing needs to be
 * cleared. */
bool pieces_begin(struct pieces *p, const uint8_t *bytes, size_t size);
void pieces_clear(struct pieces *p);

/* Writes the file. Returns its size, or 0 if it needs more than `room`
 * bytes. */
size_t pieces_end(
    struct pieces *p, enum pieces_seal seal, uint8_t *bytes, size_t room);

/* Returns the column of a key, or NULL. */
struct piece *pieces_find(struct pieces *p, uint64_t key);

/* Inserts an empty entry at an index. Returns NULL if there is no more room. */
struct piece *pieces_insert(struct pieces *p, size_t at);
void pieces_remove(struct pieces *p, size_t at);

#endif
