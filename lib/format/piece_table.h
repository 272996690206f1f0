/* piece_table.h - values in pieces: boxes of a value that lie one behind the
 * other, each with chunks of its own; and the chunks of any value.
 *
 * A value that is not in pieces is one, which is all of it. Where an index has
 * no value in pieces all that is found out by one comparison.
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
    uint64_t begin; /* of its bytes, within the value */
    uint64_t chunk; /* its first one, within the value */
};

/* --- The table ------------------------------------------------------------ */

/* One that has room for the pieces of an index, of which only the lengths of
 * columns are looked at, and has none yet. Takes no memory where there are
 * none. */
varve_status vv_piece_table_make(struct vv_piece_table *table,
    const varve_allocator *allocator, const struct vv_index *index,
    varve_error *error);

/* Adds the pieces of the next value that is in pieces, of that type and shape,
 * which break no rule; gives how many chunks they have. */
uint64_t vv_piece_table_add(struct vv_piece_table *table,
    const struct vv_index *index, const varve_tensor *type);

/* Takes zeroed ones. */
void vv_piece_table_clear(
    struct vv_piece_table *table, const varve_allocator *allocator);

/* The box of a piece, counted through all values, whose numbers begin at `at`.
 */
void vv_piece_box(
    const struct vv_index *index, uint64_t at, uint32_t rank, varve_box *box);

/* --- The pieces of a saved value, which has elements ---------------------- */

struct vv_value_piece {
    /* to read */
    varve_box box;
    uint64_t begin; /* of its bytes, within the value; row-major in its box */
    uint64_t size;
    uint64_t first_chunk; /* within the value */
};

/* 1: only one, which is all of it. */
uint32_t vv_piece_count(const struct vv_index *index, uint32_t value);

void vv_piece_at(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint32_t number,
    struct vv_value_piece *piece);

/* The number of the piece that has a chunk of the value. */
uint32_t vv_piece_of_chunk(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint64_t chunk);

/* (Boxes that stay in the file are read by these. Where that cannot be done
 * they are of nothing, and the index has failed: paged_columns.h) */

/* That piece itself, and its number. */
uint32_t vv_piece_with_chunk(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint64_t chunk,
    struct vv_value_piece *piece);

/* --- The chunks of any value ---------------------------------------------- */

/* Of a value that may be in pieces. */
uint64_t vv_chunks_of_pieces(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value);

/* How many there are; none of one that is not saved. */
static inline uint64_t vv_value_chunks(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value)
{
    return index->pieced_count
               ? vv_chunks_of_pieces(index, table, value)
               : vv_chunk_count(vv_at64(index->value_sizes, value));
}

/* Where one begins within the value, and its size. */
void vv_chunk_range(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint64_t chunk,
    uint64_t *begin, size_t *size);

#endif
