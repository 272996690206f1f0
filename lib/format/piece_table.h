/* piece_table.h - Values in pieces: boxes of a value that are stored one after
 * the other, each with its own chunks. Also the chunks of any value.
 *
 * A value that is not in pieces has one piece. If an index has no value in
 * pieces, one comparison decides this.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PIECE_TABLE_H
#define VV_PIECE_TABLE_H

#include <varve/allocator.h>
#include <varve/error.h>

#include "index.h"

struct vv_piece_start {
    /* to read */
    uint64_t begin; /* offset of its bytes within the value */
    uint64_t chunk; /* number of its first chunk within the value */
};

/* --- The table ------------------------------------------------------------ */

/* Makes an empty table with room for the pieces of an index. Reads only the
 * lengths of columns. Allocates nothing if no value is in pieces. */
varve_status vv_piece_table_make(struct vv_piece_table *table,
    const varve_allocator *allocator, const struct vv_index *index,
    varve_error *error);

/* Adds the pieces of the next value in pieces, which has the given type and
 * shape and was checked. Returns the number of its chunks. */
uint64_t vv_piece_table_add(struct vv_piece_table *table,
    const struct vv_index *index, const varve_tensor *type);

/* Frees the table; it can be zeroed. */
void vv_piece_table_clear(
    struct vv_piece_table *table, const varve_allocator *allocator);

/* Sets *box to a box whose numbers begin at index `at` of the column of
 * boxes. */
void vv_piece_box(
    const struct vv_index *index, uint64_t at, uint32_t rank, varve_box *box);

/* --- The pieces of a saved value, which has elements ---------------------- */

struct vv_value_piece {
    /* to read */
    varve_box box;
    /* offset of its bytes within the value; row-major in its box */
    uint64_t begin;
    uint64_t size;
    uint64_t first_chunk; /* within the value */
};

/* Implements vv_piece_count for an index with values in pieces. */
uint32_t vv_count_pieces(const struct vv_index *index, uint32_t value);

/* Returns the number of pieces of a value; 1: the value is not in pieces. */
static inline uint32_t vv_piece_count(
    const struct vv_index *index, uint32_t value)
{
    return index->pieced_count ? vv_count_pieces(index, value) : 1;
}

void vv_piece_at(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint32_t number,
    struct vv_value_piece *piece);

/* Returns the number of the piece that contains a chunk of the value. */
uint32_t vv_piece_of_chunk(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint64_t chunk);

/* Boxes that remain in the file are read by these functions. If that fails, the
 * box is empty and the index is marked as failed (paged_columns.h). */

/* Sets *piece to that piece and returns its number. */
uint32_t vv_piece_with_chunk(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint64_t chunk,
    struct vv_value_piece *piece);

/* --- The chunks of any value ---------------------------------------------- */

/* Returns the number of chunks of a value, which can be in pieces. */
uint64_t vv_chunks_of_pieces(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value);

/* Returns the number of chunks of a value; 0 if it is not saved. */
static inline uint64_t vv_value_chunks(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value)
{
    return index->pieced_count
               ? vv_chunks_of_pieces(index, table, value)
               : vv_chunk_count(vv_at64(index->value_sizes, value));
}

/* Sets the start of a chunk within the value, and its size. */
void vv_chunk_range(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint64_t chunk,
    uint64_t *begin, size_t *size);

#endif
