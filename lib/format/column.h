/* column.h - the columns of an index in one table, for those who write and read
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_COLUMN_H
#define VV_COLUMN_H

#include "index.h"

struct vv_column {
    /* to read */
    uint64_t key;
    uint64_t tag;     /* of the typed array; 0: a plain byte string */
    size_t element;   /* bytes of one */
    size_t bytes;     /* where in struct vv_index the pointer is */
    size_t count;     /* where the number of elements is */
    bool is_wide;     /* the number has 64 bits, not 32 */
    bool is_first;    /* the first of those that share the number */
    const char *name; /* for messages */
};

enum {
    VV_COLUMN_COUNT = 37,
    VV_REQUIRED_COLUMN_COUNT = 17, /* behind them those of layers, of what is
                                      packed, of pieces, of pages, of parts */
    VV_FIRST_PACKED_COLUMN = 22,
    VV_FIRST_PIECE_COLUMN = 26,
    VV_FIRST_PAGE_COLUMN = 29,
    VV_FIRST_PART_COLUMN = 31,
    VV_FIRST_TAG_COLUMN = 33,
    VV_FIRST_GLOBAL_COLUMN = 35, /* the counter and metadata stand before it */
};

/* In order of key; the required ones have the keys 0, 1, 2, ..., those
 * that are there for what needs them go on. */
extern const struct vv_column vv_columns[VV_COLUMN_COUNT];

/* The column of a key, or NULL. */
const struct vv_column *vv_column_find(uint64_t key);

const uint8_t *vv_column_bytes(
    const struct vv_column *column, const struct vv_index *index);
uint64_t vv_column_count(
    const struct vv_column *column, const struct vv_index *index);
void vv_column_set(const struct vv_column *column, struct vv_index *index,
    const uint8_t *bytes, uint64_t count);

/* Whether two indices agree in all but what is in their values and where these
 * lie: what one brings a program, the other brings it too. */
bool vv_index_is_alike(const struct vv_index *a, const struct vv_index *b);

#endif
