/* piece_table.c - Stores two sums for each piece: the bytes and the chunks
 * before it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "piece_table.h"

#include "allocator.h"
#include "box.h"
#include "failure.h"
#include "layout.h"
#include "paged_columns.h"
#include "typed_memory.h"

/* --- The table ------------------------------------------------------------ */

/* Returns true if the counts still match the index: they were computed before
 * its digest was checked. */
static bool has_capacity_for(
    const struct vv_piece_runs *runs, const struct vv_index *index)
{
    struct vv_piece_runs now;
    return vv_piece_runs_count(&now, index) &&
           now.row_count == runs->row_count &&
           now.run_count == runs->run_count &&
           now.hull_count == runs->hull_count;
}

/* A box has at least two numbers, so a table is not larger than the columns it
 * is made from. */
varve_status vv_piece_table_make(struct vv_piece_table *t,
    const varve_allocator *allocator, const struct vv_index *index,
    varve_error *error)
{
    *t = (struct vv_piece_table){ 0 };
    if (index->pieced_count == 0)
        return VARVE_OK;
    if (vv_is_in_file(index, VV_KEY_PIECE_BOXES)) {
        struct vv_piece_runs *runs = &index->far->runs;
        if (!index->far->is_checked && !has_capacity_for(runs, index))
            return vv_fail(error, VARVE_CORRUPT,
                "%s: index: the pieces have changed since they were counted",
                index->far->path);
        if (!index->far->is_checked)
            runs->boxes[0] = runs->firsts[0] = runs->hulls[0] = 0;
        t->boxes = runs->boxes;
        return VARVE_OK;
    }
    size_t values = (size_t)index->pieced_count + 1;
    size_t pieces = (size_t)index->box_number_count / 2 + 1;
    t->boxes = vv_allocate_array(allocator, values, sizeof *t->boxes);
    t->starts = vv_allocate_array(allocator, pieces, sizeof *t->starts);
    t->value_room = t->boxes ? values : 0;
    t->piece_room = t->starts ? pieces : 0;
    if (!t->boxes || !t->starts) {
        vv_piece_table_clear(t, allocator);
        return vv_fail_memory(error, "table of pieces");
    }
    t->boxes[0] = 0;
    return VARVE_OK;
}

void vv_piece_table_clear(
    struct vv_piece_table *t, const varve_allocator *allocator)
{
    if (t->value_room > 0)
        vv_release(allocator, t->boxes, t->value_room * sizeof *t->boxes);
    vv_release(allocator, t->starts, t->piece_room * sizeof *t->starts);
    *t = (struct vv_piece_table){ 0 };
}

void vv_piece_box(
    const struct vv_index *index, uint64_t at, uint32_t rank, varve_box *box)
{
    uint8_t far[16 * VARVE_MAX_RANK];
    const uint8_t *numbers = far;
    if (vv_is_in_file(index, VV_KEY_PIECE_BOXES))
        vv_paged_get(index, VV_KEY_PIECE_BOXES, 8 * at, far, 16 * (size_t)rank);
    else
        numbers = index->piece_boxes + 8 * (size_t)at;
    for (uint32_t k = 0; k < rank; k++) {
        box->start[k] = vv_at64(numbers, k);
        box->extents[k] = vv_at64(numbers, (size_t)rank + k);
    }
}

uint64_t vv_piece_table_add(struct vv_piece_table *t,
    const struct vv_index *index, const varve_tensor *type)
{
    uint32_t row = t->count++;
    if (vv_is_in_file(index, VV_KEY_PIECE_BOXES)) {
        if (!index->far->is_checked)
            vv_piece_runs_add(&index->far->runs, index, row, type);
        return vv_run_chunks(&index->far->runs, row);
    }
    uint32_t end = vv_at32(index->piece_ends, row);
    uint64_t at = t->boxes[row];
    struct vv_piece_start next = { 0 };
    for (uint32_t i = vv_begin32(index->piece_ends, row); i < end; i++) {
        varve_box box;
        vv_piece_box(index, at, type->rank, &box);
        uint64_t size =
            vv_box_count(type, &box) * vv_dtype_file_size(type->dtype);
        t->starts[i] = next;
        next.begin += size;
        next.chunk += vv_chunk_count(size);
        at += 2 * (uint64_t)type->rank;
    }
    t->boxes[row + 1] = at;
    return next.chunk;
}

/* --- Pieces --------------------------------------------------------------- */

uint32_t vv_count_pieces(const struct vv_index *index, uint32_t value)
{
    uint32_t row = vv_index_find_pieces(index, value);
    return row == VV_NONE ? 1
                          : vv_at32(index->piece_ends, row) -
                                vv_begin32(index->piece_ends, row);
}

/* Returns the end of a piece within its value. `last` is the number of the last
 * piece. */
static uint64_t end_of(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint32_t piece,
    uint32_t last)
{
    return piece == last ? vv_at64(index->value_sizes, value)
                         : table->pieces.starts[piece + 1].begin;
}

static void piece_table_whole(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value,
    struct vv_value_piece *piece)
{
    varve_tensor type = vv_index_tensor(index, table, value);
    piece->size = vv_at64(index->value_sizes, value);
    memcpy(piece->box.extents, type.shape, type.rank * sizeof *type.shape);
}

static void far_piece_at(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint32_t number,
    struct vv_value_piece *piece)
{
    struct vv_run_walk walk;
    vv_run_walk_begin(&walk, index, table, value, number / VV_RUN_PIECES);
    while (walk.number <= number) {
        if (!vv_run_walk_next(&walk, piece)) {
            *piece = (struct vv_value_piece){ 0 };
            return;
        }
    }
}

void vv_piece_at(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint32_t number,
    struct vv_value_piece *piece)
{
    const struct vv_piece_table *t = &table->pieces;
    uint32_t row = vv_index_find_pieces(index, value);
    uint32_t rank = index->value_ranks[value];
    *piece = (struct vv_value_piece){ 0 };
    if (row == VV_NONE) {
        piece_table_whole(index, table, value, piece);
        return;
    }
    if (vv_is_in_file(index, VV_KEY_PIECE_BOXES)) {
        far_piece_at(index, table, value, number, piece);
        return;
    }
    uint32_t first = vv_begin32(index->piece_ends, row);
    uint32_t last = vv_at32(index->piece_ends, row) - 1;
    vv_piece_box(
        index, t->boxes[row] + 2 * (uint64_t)rank * number, rank, &piece->box);
    piece->begin = t->starts[first + number].begin;
    piece->first_chunk = t->starts[first + number].chunk;
    piece->size =
        end_of(index, table, value, first + number, last) - piece->begin;
}

/* Returns the last piece in a range whose first chunk is not after `chunk`. */
static uint32_t find_chunk(const struct vv_piece_table *t, uint32_t first,
    uint32_t end, uint64_t chunk)
{
    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;
        if (t->starts[middle].chunk <= chunk)
            first = middle;
        else
            end = middle;
    }
    return first;
}

uint32_t vv_piece_of_chunk(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint64_t chunk)
{
    uint32_t row = vv_index_find_pieces(index, value);
    if (row == VV_NONE)
        return 0;
    if (vv_is_in_file(index, VV_KEY_PIECE_BOXES)) {
        struct vv_value_piece piece;
        return vv_piece_with_chunk(index, table, value, chunk, &piece);
    }
    uint32_t first = vv_begin32(index->piece_ends, row);
    uint32_t end = vv_at32(index->piece_ends, row);
    return find_chunk(&table->pieces, first, end, chunk) - first;
}

uint32_t vv_piece_with_chunk(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint64_t chunk,
    struct vv_value_piece *piece)
{
    uint32_t number = 0;
    *piece = (struct vv_value_piece){ 0 };
    if (!vv_is_in_file(index, VV_KEY_PIECE_BOXES) ||
        vv_index_find_pieces(index, value) == VV_NONE) {
        number = vv_piece_of_chunk(index, table, value, chunk);
        vv_piece_at(index, table, value, number, piece);
    } else if (!vv_run_find(index, table, value, chunk, piece, &number)) {
        *piece = (struct vv_value_piece){ 0 };
    }
    return number;
}

/* --- Chunks --------------------------------------------------------------- */

uint64_t vv_chunks_of_pieces(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value)
{
    uint64_t size = vv_at64(index->value_sizes, value);
    uint32_t row = vv_index_find_pieces(index, value);
    if (row == VV_NONE)
        return vv_chunk_count(size);
    if (vv_is_in_file(index, VV_KEY_PIECE_BOXES))
        return vv_run_chunks(&index->far->runs, row);
    const struct vv_piece_start *last =
        &table->pieces.starts[vv_at32(index->piece_ends, row) - 1];
    return last->chunk + vv_chunk_count(size - last->begin);
}

void vv_chunk_range(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint64_t chunk,
    uint64_t *begin, size_t *size)
{
    const struct vv_piece_start *starts = table->pieces.starts;
    uint32_t row = vv_index_find_pieces(index, value);
    uint64_t end = vv_at64(index->value_sizes, value);
    *begin = chunk * VV_CHUNK_SIZE;
    if (row != VV_NONE && vv_is_in_file(index, VV_KEY_PIECE_BOXES)) {
        struct vv_value_piece piece;
        vv_piece_with_chunk(index, table, value, chunk, &piece);
        *begin = piece.begin + (chunk - piece.first_chunk) * VV_CHUNK_SIZE;
        end = piece.begin + piece.size;
        if (vv_index_has_failed(index))
            *begin = end = 0;
    } else if (row != VV_NONE) {
        uint32_t behind = vv_at32(index->piece_ends, row);
        uint32_t piece = find_chunk(
            &table->pieces, vv_begin32(index->piece_ends, row), behind, chunk);
        *begin =
            starts[piece].begin + (chunk - starts[piece].chunk) * VV_CHUNK_SIZE;
        end = end_of(index, table, value, piece, behind - 1);
    }
    uint64_t left = end - *begin;
    *size = left < VV_CHUNK_SIZE ? (size_t)left : VV_CHUNK_SIZE;
}
