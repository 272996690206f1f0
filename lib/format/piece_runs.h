/* piece_runs.h - Groups the pieces of values into runs, for boxes that remain
 * in the file. For each run there is the start of its first piece and a
 * bounding box (hull) of its pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PIECE_RUNS_H
#define VV_PIECE_RUNS_H

#include <varve/tensor.h>

#include "index.h"

enum { VV_RUN_PIECES = 64 };

struct vv_value_piece; /* piece_table.h */

struct vv_piece_runs {
    /* to fill in */
    uint64_t row_count; /* number of values in pieces */
    /* includes one entry after the last run of each value, for the end of its
     * pieces */
    uint64_t run_count;
    uint64_t hull_count; /* number of numbers of hulls */
    /* to read; arrays by row have one more element, for the end of the last */
    uint64_t *boxes;  /* by row: index of the first number of its boxes */
    uint64_t *firsts; /* by row: its first run */
    uint64_t *hulls;  /* by row: index of the first number of its hulls */
    uint64_t *starts; /* by run: bytes and chunks of the value before it */
    /* bounding boxes, in the form of the column of boxes */
    uint64_t *boxes_of_runs;
};

/* vv_piece_runs_count computes the counts for an index; the boxes can be in the
 * file. It relies only on the lengths of columns, and returns false with zero
 * counts if they are impossible. vv_piece_runs_words returns the number of
 * words that the runs need. */
bool vv_piece_runs_count(
    struct vv_piece_runs *runs, const struct vv_index *index);
size_t vv_piece_runs_words(const struct vv_piece_runs *runs);

/* Sets the pointers into the words. */
void vv_piece_runs_point(struct vv_piece_runs *runs, uint64_t *words);

/* Fills in the runs of a row, whose boxes were checked, for a value of this
 * type. Before the first row everything must be zero. */
void vv_piece_runs_add(struct vv_piece_runs *runs, const struct vv_index *index,
    uint32_t row, const varve_tensor *type);

/* Returns the number of chunks of all pieces of a row. */
uint64_t vv_run_chunks(const struct vv_piece_runs *runs, uint32_t row);

/* --- Pieces, one after the other ------------------------------------------ */

enum { VV_RUN_NUMBERS = 256 };

struct vv_run_walk {
    /* to read */
    uint32_t number; /* of the next piece, within the value */
    /* own */
    const struct vv_index *index;
    const struct vv_piece_runs *runs;
    varve_tensor type;
    uint32_t row;
    uint32_t count; /* number of pieces of the value */
    uint64_t begin; /* offset and first chunk of the next piece */
    uint64_t chunk;
    uint32_t held;  /* number of boxes in `numbers` */
    uint32_t first; /* number of the first of them */
    uint8_t numbers[8 * VV_RUN_NUMBERS];
};

/* Begins at the first piece of a run of a value in pieces. */
void vv_run_walk_begin(struct vv_run_walk *walk, const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint32_t run);

/* Sets *piece to the next piece. Returns false after the last piece of the
 * value, and if it could not be read. */
bool vv_run_walk_next(struct vv_run_walk *walk, struct vv_value_piece *piece);

/* Finds the piece that contains a chunk of the value, and sets *number. Returns
 * false if it could not be read. */
bool vv_run_find(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint64_t chunk,
    struct vv_value_piece *piece, uint32_t *number);

/* Goes to the next run that can have a piece overlapping a box, starting with
 * the run of the next piece. Returns false if there is none. */
bool vv_run_walk_skip(struct vv_run_walk *walk, const varve_box *box);

#endif
