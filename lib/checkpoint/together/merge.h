/* merge.h - at rank 0: what all have told becomes one index, and orders for
 * all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MERGE_H
#define VV_MERGE_H

#include "contribution.h"
#include "index_columns.h"
#include "spill.h"
#include "splice.h"

/* Where a rank writes its region. */
struct vv_region {
    /* to read */
    uint32_t file;
    uint64_t offset; /* in the file; where chunks go each its own way, of the
                        bits that say which of them are new */
};

/* A file that ranks write. */
struct vv_data_file {
    /* to read */
    uint64_t end;   /* of its data */
    uint32_t layer; /* its number in the index; VV_NONE: none yet */
    bool is_needed; /* it has data */
};

/* Where a chunk of a rank is. */
struct vv_where {
    /* to read */
    uint64_t offset; /* in the file of the rank, or in the data of the base */
    uint32_t packed; /* bytes of its frame in that file; 0: it is not packed */
    bool is_old;     /* the base has it */
};

/* A layer of the index: a file of this save, or one of the base. */
struct vv_merged_layer {
    /* to read */
    uint32_t file; /* VV_NONE: it is older */
    uint32_t older;
};

/* A range of the data in the region of a rank. */
struct vv_placed {
    /* to fill in */
    uint64_t place;
    uint64_t size;
    uint32_t owner;
    uint64_t offset;
};

/* Where what is private to a rank comes from. */
struct vv_private_origin {
    /* to read */
    uint32_t owner;
    uint64_t begin;         /* see vv_private_message */
    const uint8_t *digests; /* of its next value */
};

struct vv_merge {
    /* to fill in */
    const varve_comm *comm;
    const char *path;
    const struct vv_save_plan *save_plan;
    const struct vv_share *share;
    const struct vv_gathered *all;
    /* to read */
    struct vv_region *regions; /* by rank */
    uint32_t file_count;
    struct vv_data_file *files;
    uint32_t layer_count;
    struct vv_merged_layer layers[VV_MOST_LAYERS];
    struct vv_index_columns added; /* digests, pieces and places; the caller
                                      adds nonces and sizes of layers */
    size_t *firsts;         /* by rank, where chunks go each its own way: the
                               number of its first one; behind them how many
                               there are. Else NULL */
    const uint8_t **chunks; /* by rank: as it told them */
    struct vv_where *where; /* by chunk */
    /* own */
    uint64_t end;            /* of the data */
    const uint8_t **told;    /* by rank: its next slice */
    struct vv_buffer placed; /* vv_placed, in the order of the data */
    struct vv_splice splice; /* the graph with what is private; */
    bool is_spliced;
    struct vv_splice_part *parts; /* its parts, and where each comes from */
    struct vv_private_origin *origins;
    struct vv_buffer found; /* slices of the value that is looked at */
    uint32_t next_value;    /* of those of the save plan: the first that was not
                               taken; and its digests there */
    const uint8_t *next_digests;
    const struct vv_save_plan_slice *next_slice;
    size_t next_whole;          /* of those of the index */
    struct vv_buffer stretches; /* vv_placed, of what all have; sorted, and
                                   which of */
    size_t next_stretch;        /* them is next */
    struct vv_spill *spill;     /* columns that have left `added`, or NULL */
    struct vv_column_source source; /* of these */
};

/* Checks that the slices of each value cover it once, hangs what is private
 * into the graph of all, chooses files and
 * offsets, and fills in what the index has besides the columns of the save
 * plan; the places only where regions are written as they are. VARVE_MISUSE
 * names value and ranks. Whatever comes of it, end with vv_merge_clear. */
varve_status vv_merge_make(struct vv_merge *merge, varve_error *error);
void vv_merge_clear(struct vv_merge *merge);

/* The same where slices come in rounds (merge_rounds.h): chooses files and
 * offsets, and splices. */
varve_status vv_merge_begin(struct vv_merge *merge, varve_error *error);

/* Takes the values up to a number, whose slices are in what was gathered. */
varve_status vv_merge_take(struct vv_merge *merge,
    const struct vv_gathered *slices, uint32_t end, varve_error *error);

/* The index of all; points into save plan, share and merge. */
varve_status vv_merge_index(
    const struct vv_merge *merge, struct vv_index *index, varve_error *error);

#endif
