/* piece_runs.h - the pieces of values in runs of a few: what is at hand of them
 * where their boxes stay in the file. A run has where its first piece begins,
 * and its hull, a box that has all of its pieces.
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
    uint64_t row_count;  /* of values in pieces */
    uint64_t run_count;  /* with one behind the last of each value, which has
                            where its pieces end */
    uint64_t hull_count; /* of numbers */
    /* to read; of rows each has one more, for where the last ends */
    uint64_t *boxes;  /* by row: the first number of its boxes */
    uint64_t *firsts; /* by row: its first run */
    uint64_t *hulls;  /* by row: the first number of its hulls */
    uint64_t *starts; /* by run: bytes and chunks before it in the value */
    uint64_t *boxes_of_runs; /* numbers, as the column of boxes has them */
};

/* How many there are for an index, whose boxes need not be at hand, and how
 * many words that takes. Nothing of it is believed but the lengths of columns:
 * false, and none, where there cannot be any. */
bool vv_piece_runs_count(
    struct vv_piece_runs *runs, const struct vv_index *index);
size_t vv_piece_runs_words(const struct vv_piece_runs *runs);

/* Points to them in so many words. */
void vv_piece_runs_point(struct vv_piece_runs *runs, uint64_t *words);

/* Fills in those of a row, whose boxes were checked, of a value of this type;
 * before the first row all is zero. */
void vv_piece_runs_add(struct vv_piece_runs *runs, const struct vv_index *index,
    uint32_t row, const varve_tensor *type);

/* The chunks of all pieces of a row. */
uint64_t vv_run_chunks(const struct vv_piece_runs *runs, uint32_t row);

/* --- Pieces, one after the other ------------------------------------------ */

enum { VV_RUN_NUMBERS = 256 };

struct vv_run_walk {
    /* to read */
    uint32_t number; /* of the piece that is next, within the value */
    /* own */
    const struct vv_index *index;
    const struct vv_piece_runs *runs;
    varve_tensor type;
    uint32_t row;
    uint32_t count; /* of pieces of the value */
    uint64_t begin; /* of the next one */
    uint64_t chunk;
    uint32_t held;  /* boxes that were read, from */
    uint32_t first; /* this number on */
    uint8_t numbers[8 * VV_RUN_NUMBERS];
};

/* Begins at the first piece of a run of a value in pieces. */
void vv_run_walk_begin(struct vv_run_walk *walk, const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint32_t run);

/* The next piece; false behind the last of the value, and where it could not be
 * read. */
bool vv_run_walk_next(struct vv_run_walk *walk, struct vv_value_piece *piece);

/* The piece that has a chunk of the value; *number is which. False where it
 * could not be read. */
bool vv_run_find(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, uint64_t chunk,
    struct vv_value_piece *piece, uint32_t *number);

/* Goes on to the next run, from that of the next piece on, of which a piece may
 * have something of a box; false if there is none. */
bool vv_run_walk_skip(struct vv_run_walk *walk, const varve_box *box);

#endif
