/* merge_places.h - at rank 0: where in layers what all ranks have placed lies.
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
    uint32_t numbers[VV_MOST_LAYERS]; /* of layers of the base here */
    uint64_t behind; /* where in the data of the base what was there last ends;
                        0: that was new */
    uint32_t is_after; /* the rank whose chunk was new last, or VV_NONE; */
    size_t number;     /* the chunk behind that */
};

/* Where ranges are placed in parts, each behind those before. */
void vv_placing_begin(struct vv_placing *placing, struct vv_merge *merge,
    const struct vv_layer_base *base);
void vv_placing_add_ranges(struct vv_placing *placing);
varve_status vv_placing_end(struct vv_placing *placing, varve_error *error);

/* Fills in the columns of places, and numbers the layers as these name them.
 * Where chunks go each its own way, once it is known where all are; the base
 * is that in which some lie, or NULL. */
varve_status vv_merge_places(struct vv_merge *merge,
    const struct vv_layer_base *base, varve_error *error);

#endif
