/* merge.h - Merges the contributions of all ranks into one index, and computes
 * where each rank must write. Used on rank 0.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MERGE_H
#define VV_MERGE_H

#include "contribution.h"
#include "index_out.h"
#include "index_stream.h"
#include "splice.h"

/* The location where a rank writes its region. */
struct vv_region {
    /* to read */
    uint32_t file;
    uint64_t offset; /* in the file; for saves by chunks, in the bits that
                        mark the new chunks */
};

/* A file that ranks write. */
struct vv_data_file {
    /* to read */
    uint64_t end;   /* end of its data */
    uint32_t layer; /* number in the index; VV_NONE: none yet */
    bool is_needed; /* it has data */
};

/* The location of a chunk of a rank. */
struct vv_where {
    /* to read */
    uint64_t offset; /* in the file of the rank, or in the data of the base */
    uint32_t packed; /* its compressed size in that file; 0: not compressed */
    bool is_old;     /* the base has the chunk */
};

/* A layer of the index: a file of this save, or a layer of the base. */
struct vv_merged_layer {
    /* to read */
    uint32_t file; /* VV_NONE: a layer of the base */
    uint32_t older;
};

/* A range of the data that is in the region of a rank. */
struct vv_placed {
    /* to fill in */
    uint64_t place;
    uint64_t size;
    uint32_t owner;
    uint64_t offset;
};

/* The origin of a rank-local subtree. */
struct vv_private_origin {
    /* to read */
    uint32_t owner;
    uint64_t begin;         /* see vv_private_message */
    const uint8_t *digests; /* digests of its next value */
};

struct vv_merge {
    /* to fill in */
    const varve_comm *comm;
    const char *path;
    const struct vv_save_plan *save_plan;
    const struct vv_share *share;
    const struct vv_gathered *all;
    /* to read */
    struct vv_region *regions; /* for each rank */
    uint32_t file_count;
    struct vv_data_file *files;
    uint32_t layer_count;
    struct vv_merged_layer layers[VV_MOST_LAYERS];
    struct vv_index_columns added; /* digests, pieces and places; the caller
                                      adds nonces and sizes of layers */
    size_t *firsts; /* for saves by chunks: for each rank, the number of its
                       first chunk; the last element is the number of all
                       chunks. Else NULL */
    const uint8_t **chunks; /* for each rank: its chunks in the message */
    struct vv_where *where; /* for each chunk */
    /* own */
    uint64_t end;                /* end of the data */
    const uint8_t **next_slices; /* for each rank, in its message */
    struct vv_buffer placed;     /* vv_placed, in the order of the data */
    struct vv_splice splice;     /* the graph with rank-local subtrees */
    bool is_spliced;
    struct vv_splice_part *parts;      /* parts of `splice` */
    struct vv_private_origin *origins; /* for each part */
    struct vv_buffer found;            /* shards of the current value */
    uint32_t next_value;         /* number in the save plan of the next value */
    const uint8_t *next_digests; /* digests of that value */
    const struct vv_save_plan_slice *next_slice;
    size_t next_whole;              /* number in the index of the next value */
    struct vv_buffer stretches;     /* vv_placed, sorted: replicated data */
    size_t next_stretch;            /* next element of `stretches` */
    struct vv_spill *spill;         /* columns moved out of `added`; or NULL */
    struct vv_column_source source; /* reads `spill` */
};

static inline struct vv_placed *vv_all_placed(
    const struct vv_merge *merge, size_t *count)
{
    *count = merge->placed.size / sizeof(struct vv_placed);
    return (struct vv_placed *)(void *)merge->placed.data;
}

/* Checks that the shards of each value cover it exactly once, adds the
 * rank-local subtrees to the graph, chooses files and offsets, and fills in
 * `added`. Places are not filled in for saves by chunks, whose locations are
 * not known yet. Returns VARVE_MISUSE, with the path of the value and the
 * ranks, if a check fails. vv_merge_clear must be called also after a
 * failure. */
varve_status vv_merge_make(struct vv_merge *merge, varve_error *error);
void vv_merge_clear(struct vv_merge *merge);

/* The first part of vv_merge_make if shards are sent in rounds
 * (merge_rounds.h): chooses files and offsets, and adds rank-local subtrees. */
varve_status vv_merge_begin(struct vv_merge *merge, varve_error *error);

/* Merges the values up to the number `end`, whose shards are in `slices`. */
varve_status vv_merge_take(struct vv_merge *merge,
    const struct vv_gathered *slices, uint32_t end, varve_error *error);

/* Sets `index` to the merged index. It points into save plan, share and
 * merge. */
varve_status vv_merge_index(
    const struct vv_merge *merge, struct vv_index *index, varve_error *error);

#endif
