/* merge_places.h - Computes on rank 0 where the data of all ranks is in layers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MERGE_PLACES_H
#define VV_MERGE_PLACES_H

#include "layer_base.h"
#include "merge.h"
#include "place_out.h"

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
