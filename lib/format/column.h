/* column.h - Describes the columns of an index in one table, for reading and
 * writing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_COLUMN_H
#define VV_COLUMN_H

#include "index.h"

struct vv_column {
    /* to read */
    uint64_t key;
    uint64_t tag;     /* tag of the typed array; 0: plain byte string */
    size_t element;   /* size of an element in bytes */
    size_t bytes;     /* offset of the pointer in struct vv_index */
    size_t count;     /* offset of the number of elements in it */
    bool is_wide;     /* the number has 64 bits, not 32 */
    bool is_first;    /* the first of the columns that share this number */
    const char *name; /* for messages */
};

enum {
    VV_COLUMN_COUNT = 37,
    /* followed by the columns of layers, compressed places, pieces, page
     * digests and parts */
    VV_REQUIRED_COLUMN_COUNT = 17,
    VV_FIRST_PACKED_COLUMN = 22,
    VV_FIRST_PIECE_COLUMN = 26,
    VV_FIRST_PAGE_COLUMN = 29,
    VV_FIRST_PART_COLUMN = 31,
    VV_FIRST_TAG_COLUMN = 33,
    VV_FIRST_GLOBAL_COLUMN = 35, /* the counter and metadata precede it */
};

/* In order of keys. Required columns have the keys 0, 1, 2, ...; columns of
 * single features follow. */
extern const struct vv_column vv_columns[VV_COLUMN_COUNT];

/* Returns the column of a key, or NULL. */
const struct vv_column *vv_column_find(uint64_t key);

const uint8_t *vv_column_bytes(
    const struct vv_column *column, const struct vv_index *index);
uint64_t vv_column_count(
    const struct vv_column *column, const struct vv_index *index);
void vv_column_set(const struct vv_column *column, struct vv_index *index,
    const uint8_t *bytes, uint64_t count);

/* Returns true if two indices are equal except for the contents and positions
 * of their values. A restore then matches both with a program in the same
 * way. */
bool vv_index_is_alike(const struct vv_index *a, const struct vv_index *b);

/* Returns true if two indices have the same columns of names, nodes, edges,
 * slots, tags and global names. */
bool vv_index_has_same_graph(
    const struct vv_index *a, const struct vv_index *b);

/* Returns true if two indices have the same kinds of nodes, and values of the
 * same nodes, types, shapes, offsets and sizes, all whole and in one piece. */
bool vv_index_has_same_values(
    const struct vv_index *a, const struct vv_index *b);

#endif
