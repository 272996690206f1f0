/* piece_runs.c - Builds runs while boxes are checked, and walks them later.
 *
 * SPDX-License-Identifier: MIT
 */
#include "piece_runs.h"

#include "box.h"
#include "layout.h"
#include "paged_columns.h"
#include "piece_table.h"
#include "typed_memory.h"

/* --- Construction --------------------------------------------------------- */

static uint32_t pieces_of(const struct vv_index *index, uint32_t row)
{
    return vv_at32(index->piece_ends, row) - vv_begin32(index->piece_ends, row);
}

static uint32_t runs_of(uint32_t pieces)
{
    return pieces / VV_RUN_PIECES + (pieces % VV_RUN_PIECES != 0);
}

static uint32_t piece_runs_rank_of(const struct vv_index *index, uint32_t row)
{
    return index->value_ranks[vv_at32(index->pieced_values, row)];
}

static bool can_be_counted(const struct vv_index *index)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < index->pieced_count; i++) {
        uint32_t value = vv_at32(index->pieced_values, i);
        uint32_t end = vv_at32(index->piece_ends, i);
        if (value >= index->value_count || index->value_ranks[value] == 0 ||
            index->value_ranks[value] > VARVE_MAX_RANK || end <= before)
            return false;
        before = end;
    }
    return before <= index->box_number_count / 2;
}

bool vv_piece_runs_count(
    struct vv_piece_runs *runs, const struct vv_index *index)
{
    *runs = (struct vv_piece_runs){ .row_count = 0 };
    if (!can_be_counted(index))
        return false;
    runs->row_count = index->pieced_count;
    for (uint32_t i = 0; i < index->pieced_count; i++) {
        uint32_t count = runs_of(pieces_of(index, i));
        runs->run_count += (uint64_t)count + 1;
        runs->hull_count += (uint64_t)count * 2 * piece_runs_rank_of(index, i);
    }
    return true;
}

size_t vv_piece_runs_words(const struct vv_piece_runs *runs)
{
    return runs->row_count == 0
               ? 0
               : (size_t)(3 * (runs->row_count + 1) + 2 * runs->run_count +
                          runs->hull_count);
}

void vv_piece_runs_point(struct vv_piece_runs *runs, uint64_t *words)
{
    size_t rows = (size_t)runs->row_count + 1;
    runs->boxes = words;
    runs->firsts = runs->boxes + rows;
    runs->hulls = runs->firsts + rows;
    runs->starts = runs->hulls + rows;
    runs->boxes_of_runs = runs->starts + 2 * runs->run_count;
}

/* Extends a bounding box by a box. A hull with extent 0 is empty. */
static void piece_runs_extend(
    uint64_t *hull, uint32_t rank, const varve_box *box)
{
    for (uint32_t k = 0; k < rank; k++) {
        uint64_t end = box->start[k] + box->extents[k];
        uint64_t before = hull[k] + hull[rank + k];
        if (hull[rank + k] == 0 || end > before)
            before = end;
        if (hull[rank + k] == 0 || box->start[k] < hull[k])
            hull[k] = box->start[k];
        hull[rank + k] = before - hull[k];
    }
}

static uint64_t *put_start(uint64_t *at, const struct vv_piece_start *start)
{
    at[0] = start->begin;
    at[1] = start->chunk;
    return at + 2;
}

void vv_piece_runs_add(struct vv_piece_runs *runs, const struct vv_index *index,
    uint32_t row, const varve_tensor *type)
{
    uint32_t rank = type->rank, count = pieces_of(index, row);
    uint64_t *start = runs->starts + 2 * runs->firsts[row];
    uint64_t *hull = runs->boxes_of_runs + runs->hulls[row];
    struct vv_piece_start at = { 0 };
    for (uint32_t i = 0; i < count; i++) {
        varve_box box;
        bool begins = i % VV_RUN_PIECES == 0;
        if (begins && i > 0)
            hull += 2 * (size_t)rank;
        if (begins) {
            memset(hull, 0, 2 * (size_t)rank * sizeof *hull);
            start = put_start(start, &at);
        }
        vv_piece_box(
            index, runs->boxes[row] + 2 * (uint64_t)rank * i, rank, &box);
        piece_runs_extend(hull, rank, &box);
        uint64_t size =
            vv_box_count(type, &box) * vv_dtype_file_size(type->dtype);
        at.begin += size;
        at.chunk += vv_chunk_count(size);
    }
    put_start(start, &at);
    runs->boxes[row + 1] = runs->boxes[row] + 2 * (uint64_t)rank * count;
    runs->firsts[row + 1] = runs->firsts[row] + runs_of(count) + 1;
    runs->hulls[row + 1] =
        runs->hulls[row] + 2 * (uint64_t)rank * runs_of(count);
}

uint64_t vv_run_chunks(const struct vv_piece_runs *runs, uint32_t row)
{
    return runs->starts[2 * (runs->firsts[row + 1] - 1) + 1];
}

/* --- Iteration ------------------------------------------------------------ */

/* Positions the walk at the first piece of a run. */
static void begin_run(struct vv_run_walk *w, uint32_t run)
{
    const uint64_t *start =
        w->runs->starts + 2 * (w->runs->firsts[w->row] + run);
    w->number = run * VV_RUN_PIECES;
    w->begin = start[0];
    w->chunk = start[1];
}

void vv_run_walk_begin(struct vv_run_walk *w, const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint32_t run)
{
    w->index = index;
    w->runs = &index->far->runs;
    w->type = vv_index_tensor(index, table, value);
    w->row = vv_index_find_pieces(index, value);
    w->count = pieces_of(index, w->row);
    w->held = w->first = 0;
    begin_run(w, run);
}

/* Reads as many boxes as fit, but none of the next run, which may be
 * skipped. */
static void piece_runs_hold(struct vv_run_walk *w)
{
    uint32_t rank = w->type.rank, room = VV_RUN_NUMBERS / (2 * rank);
    uint32_t end = (w->number / VV_RUN_PIECES + 1) * VV_RUN_PIECES;
    uint32_t left = (end < w->count ? end : w->count) - w->number;
    uint64_t at = w->runs->boxes[w->row] + 2 * (uint64_t)rank * w->number;
    w->first = w->number;
    w->held = left < room ? left : room;
    vv_paged_get(w->index, VV_KEY_PIECE_BOXES, 8 * at, w->numbers,
        16 * (size_t)rank * w->held);
}

bool vv_run_walk_next(struct vv_run_walk *w, struct vv_value_piece *piece)
{
    const struct vv_index numbers = { .piece_boxes = w->numbers };
    uint32_t rank = w->type.rank;
    if (w->number >= w->count)
        return false;
    if (w->number - w->first >= w->held)
        piece_runs_hold(w);
    if (vv_index_has_failed(w->index))
        return false;
    vv_piece_box(&numbers, 2 * (uint64_t)rank * (w->number - w->first), rank,
        &piece->box);
    piece->begin = w->begin;
    piece->first_chunk = w->chunk;
    piece->size =
        vv_box_count(&w->type, &piece->box) * vv_dtype_file_size(w->type.dtype);
    w->begin += piece->size;
    w->chunk += vv_chunk_count(piece->size);
    w->number++;
    return true;
}

/* Returns the last run of a row whose first chunk is not after `chunk`. */
static uint32_t run_of_chunk(
    const struct vv_piece_runs *runs, uint32_t row, uint64_t chunk)
{
    uint64_t low = runs->firsts[row], high = runs->firsts[row + 1] - 1;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (runs->starts[2 * middle + 1] <= chunk)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)(low - runs->firsts[row]);
}

bool vv_run_find(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint64_t chunk,
    struct vv_value_piece *piece, uint32_t *number)
{
    struct vv_run_walk walk;
    uint32_t row = vv_index_find_pieces(index, value);
    vv_run_walk_begin(&walk, index, table, value,
        run_of_chunk(&index->far->runs, row, chunk));
    while (vv_run_walk_next(&walk, piece)) {
        *number = walk.number - 1;
        if (walk.chunk > chunk)
            return true;
    }
    return false;
}

static bool piece_runs_overlap(
    const uint64_t *hull, uint32_t rank, const varve_box *box)
{
    bool do_meet = true;
    for (uint32_t k = 0; k < rank; k++)
        do_meet &= hull[k] < box->start[k] + box->extents[k] &&
                   box->start[k] < hull[k] + hull[rank + k];
    return do_meet;
}

bool vv_run_walk_skip(struct vv_run_walk *w, const varve_box *box)
{
    uint32_t rank = w->type.rank, run = w->number / VV_RUN_PIECES;
    uint32_t count = runs_of(w->count), first = run;
    const uint64_t *hulls = w->runs->boxes_of_runs + w->runs->hulls[w->row];
    if (w->number >= w->count)
        return false;
    while (run < count &&
           !piece_runs_overlap(hulls + 2 * (size_t)rank * run, rank, box))
        run++;
    if (run < count && run > first)
        begin_run(w, run);
    return run < count;
}
