/* part.c - what of a piece is in a box is found without going through it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "part.h"

#include "box.h"
#include "dtype.h"
#include "layout.h"
#include "piece_table.h"

static uint64_t elements_per_chunk(
    const struct vv_parsed_index *parsed, uint32_t value)
{
    return VV_CHUNK_SIZE /
           vv_dtype_file_size((varve_dtype)parsed->index.value_dtypes[value]);
}

/* The chunk that has an element of a piece. */
static void set(const struct vv_parsed_index *parsed, uint32_t value,
    const struct vv_value_piece *piece, uint64_t element,
    struct vv_chunk_part *part)
{
    uint64_t step = elements_per_chunk(parsed, value);
    uint64_t unit = VV_CHUNK_SIZE / step;
    uint64_t chunk = element / step;
    part->chunk = piece->first_chunk + chunk;
    vv_chunk_range(&parsed->index, &parsed->table, value, part->chunk,
        &part->begin, &part->size);
    part->box = piece->box;
    part->first = chunk * step;
    part->end = part->first + part->size / unit;
}

void vv_part_of_chunk(const struct vv_parsed_index *parsed, uint32_t value,
    uint64_t chunk, struct vv_chunk_part *part)
{
    struct vv_value_piece piece;
    vv_piece_at(&parsed->index, &parsed->table, value,
        vv_piece_of_chunk(&parsed->index, &parsed->table, value, chunk),
        &piece);
    set(parsed, value, &piece,
        (chunk - piece.first_chunk) * elements_per_chunk(parsed, value), part);
}

bool vv_part_from(const struct vv_parsed_index *parsed, uint32_t value,
    const varve_box *box, uint64_t chunk, struct vv_chunk_part *part)
{
    const struct vv_index *index = &parsed->index;
    const struct vv_value_table *table = &parsed->table;
    uint32_t pieces = vv_piece_count(index, value);
    uint32_t number = vv_piece_of_chunk(index, table, value, chunk);
    for (; number < pieces; number++) {
        struct vv_value_piece piece;
        struct vv_rows rows;
        uint64_t skipped = 0;
        vv_piece_at(index, table, value, number, &piece);
        if (chunk > piece.first_chunk)
            skipped =
                (chunk - piece.first_chunk) * elements_per_chunk(parsed, value);
        vv_rows_begin(&rows, index->value_ranks[value], &piece.box, box,
            skipped, UINT64_MAX);
        if (vv_rows_next(&rows)) {
            set(parsed, value, &piece, rows.from, part);
            return true;
        }
    }
    return false;
}
