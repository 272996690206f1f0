/* part.c - Computes which elements of a piece are in a box, without a loop over
 * the elements.
 *
 * SPDX-License-Identifier: MIT
 */
#include "part.h"

#include "box.h"
#include "layout.h"
#include "paged_columns.h"
#include "piece_table.h"
#include "typed_memory.h"

static uint64_t elements_per_chunk(
    const struct vv_parsed_index *parsed, uint32_t value)
{
    return VV_CHUNK_SIZE /
           vv_dtype_file_size((varve_dtype)parsed->index.value_dtypes[value]);
}

/* Sets *part to the chunk that contains an element of a piece. */
static void part_set(const struct vv_parsed_index *parsed, uint32_t value,
    const struct vv_value_piece *piece, uint64_t element,
    struct vv_chunk_part *part)
{
    uint64_t step = elements_per_chunk(parsed, value);
    uint64_t unit = VV_CHUNK_SIZE / step;
    uint64_t chunk = element / step;
    uint64_t left = piece->size - chunk * VV_CHUNK_SIZE;
    part->chunk = piece->first_chunk + chunk;
    part->begin = piece->begin + chunk * VV_CHUNK_SIZE;
    part->size = left < VV_CHUNK_SIZE ? (size_t)left : VV_CHUNK_SIZE;
    part->box = piece->box;
    part->first = chunk * step;
    part->end = part->first + part->size / unit;
}

/* Describes a chunk whose piece could not be read as empty, so that its bytes
 * are not interpreted. */
static void set_nothing(const struct vv_parsed_index *parsed, uint32_t value,
    uint64_t chunk, struct vv_chunk_part *part)
{
    varve_tensor type = vv_index_tensor(&parsed->index, &parsed->table, value);
    *part =
        (struct vv_chunk_part){ .chunk = chunk, .box = vv_box_whole(&type) };
}

void vv_part_of_chunk(const struct vv_parsed_index *parsed, uint32_t value,
    uint64_t chunk, struct vv_chunk_part *part)
{
    struct vv_value_piece piece;
    vv_piece_with_chunk(&parsed->index, &parsed->table, value, chunk, &piece);
    if (vv_index_has_failed(&parsed->index))
        set_nothing(parsed, value, chunk, part);
    else
        part_set(parsed, value, &piece,
            (chunk - piece.first_chunk) * elements_per_chunk(parsed, value),
            part);
}

/* Finds the first part of a piece, starting at a chunk, that has an element of
 * the box. Returns false if there is none. */
static bool part_find(const struct vv_parsed_index *parsed, uint32_t value,
    const varve_box *box, uint64_t chunk, const struct vv_value_piece *piece,
    struct vv_chunk_part *part)
{
    struct vv_rows rows;
    uint64_t skipped = 0;
    if (chunk > piece->first_chunk)
        skipped =
            (chunk - piece->first_chunk) * elements_per_chunk(parsed, value);
    vv_rows_begin(&rows, parsed->index.value_ranks[value], &piece->box, box,
        skipped, UINT64_MAX);
    if (!vv_rows_next(&rows))
        return false;
    part_set(parsed, value, piece, rows.from, part);
    return true;
}

/* Like part_find, for pieces whose boxes are in the file; skips most runs.
 * After a read error every chunk counts as overlapping, so that the caller
 * reads on and gets the error. */
static bool find_far(const struct vv_parsed_index *parsed, uint32_t value,
    const varve_box *box, uint64_t chunk, struct vv_chunk_part *part)
{
    const struct vv_index *index = &parsed->index;
    struct vv_run_walk walk;
    struct vv_value_piece piece;
    if (chunk >= vv_value_chunks(index, &parsed->table, value))
        return false;
    uint32_t number =
        vv_piece_with_chunk(index, &parsed->table, value, chunk, &piece);
    if (!vv_index_has_failed(index) &&
        part_find(parsed, value, box, chunk, &piece, part))
        return true;
    vv_run_walk_begin(
        &walk, index, &parsed->table, value, number / VV_RUN_PIECES);
    while (vv_run_walk_skip(&walk, box) && vv_run_walk_next(&walk, &piece)) {
        if (walk.number > number + 1 &&
            part_find(parsed, value, box, chunk, &piece, part))
            return true;
    }
    if (!vv_index_has_failed(index))
        return false;
    set_nothing(parsed, value, chunk, part);
    return true;
}

bool vv_part_from(const struct vv_parsed_index *parsed, uint32_t value,
    const varve_box *box, uint64_t chunk, struct vv_chunk_part *part)
{
    const struct vv_index *index = &parsed->index;
    const struct vv_value_table *table = &parsed->table;
    uint32_t pieces = vv_piece_count(index, value);
    if (pieces > 1 && vv_is_in_file(index, VV_KEY_PIECE_BOXES))
        return find_far(parsed, value, box, chunk, part);
    uint32_t number = vv_piece_of_chunk(index, table, value, chunk);
    for (; number < pieces; number++) {
        struct vv_value_piece piece;
        vv_piece_at(index, table, value, number, &piece);
        if (part_find(parsed, value, box, chunk, &piece, part))
            return true;
    }
    return false;
}
