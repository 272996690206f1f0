/* merge_places.h - Computes on rank 0 in which file and at which offset the
 * data of each rank is, and in incremental and compressed saves where each
 * chunk is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MERGE_PLACES_H
#define VV_MERGE_PLACES_H

#include "layer_base.h"
#include "layer_out.h"
#include "merge.h"

/* --- Files ---------------------------------------------------------------- */

/* Chooses the files, and the file and the offset of the region of each rank.
 * May return VARVE_NO_MEMORY. */
varve_status vv_merge_place_regions(struct vv_merge *merge, varve_error *error);

/* --- Chunks --------------------------------------------------------------- */

/* Keeps the chunks of all ranks on rank 0, for saves in which chunks are
 * compressed or already in the base. */

/* Takes the chunks of the contributions. All are marked as new. May return
 * VARVE_NO_MEMORY. */
varve_status vv_merge_chunks_begin(struct vv_merge *merge, varve_error *error);
void vv_merge_chunks_end(struct vv_merge *merge);

/* --- Chunks in the order of the data -------------------------------------- */

struct vv_placed_chunk {
    /* to read */
    uint64_t place; /* offset in the data */
    uint32_t owner;
    size_t number;                 /* among the chunks of all ranks */
    struct vv_share_chunk message; /* as sent by its owner */
    struct vv_where *where;
};

struct vv_chunk_walk {
    /* to fill in */
    struct vv_merge *merge;
    /* own */
    size_t placed; /* index of the current range */
    size_t next;   /* the next chunk of its owner; the chunks of a range are
                      consecutive */
    bool is_inside;
};

bool vv_chunk_walk_next(
    struct vv_chunk_walk *walk, struct vv_placed_chunk *chunk);

/* --- Messages about chunks ------------------------------------------------ */

/* Appends a bit for each chunk of each rank that is set if the rank must write
 * it. Sets the offset of each region to the position of its bits. Marks the
 * files that are needed. */
void vv_merge_order_chunks(struct vv_merge *merge, struct vv_buffer *bits);

static inline bool vv_is_ordered(const uint8_t *bits, size_t chunk)
{
    return bits[chunk / 8] >> chunk % 8 & 1;
}

/* The message about a chunk that was written: its offset and compressed
 * size. */
enum { VV_LOCATION_MESSAGE_SIZE = 8 + 4 };

/* Takes these messages of all ranks, and computes the ends of their files. */
void vv_merge_take_written(
    struct vv_merge *merge, const struct vv_gathered *written);

/* --- Places --------------------------------------------------------------- */

struct vv_placing {
    /* own */
    struct vv_merge *merge;
    const struct vv_layer_base *base; /* or NULL */
    struct vv_place_out out;
    uint32_t numbers[VV_MOST_LAYERS]; /* for each layer of the base, its
                                         number here */
    uint64_t behind;   /* offset in the base's data of the end of the previous
                          range; 0: that was new */
    uint32_t is_after; /* the rank of the last new chunk; or VV_NONE */
    size_t number;     /* number of the chunk after the last new one */
};

/* These fill in the places in several steps. vv_placing_add_ranges adds the
 * ranges of `merge->placed`. */
void vv_placing_begin(struct vv_placing *placing, struct vv_merge *merge,
    const struct vv_layer_base *base);
void vv_placing_add_ranges(struct vv_placing *placing);
varve_status vv_placing_end(struct vv_placing *placing, varve_error *error);

/* Fills in the columns of places, and numbers the layers in the order of their
 * use. In a save by chunks it must be called after the locations of all chunks
 * are known. `base` is the base, or NULL. */
varve_status vv_merge_places(struct vv_merge *merge,
    const struct vv_layer_base *base, varve_error *error);

#endif
