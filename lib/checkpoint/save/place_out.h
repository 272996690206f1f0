/* place_out.h - Fills in the columns of places, which describe where each range
 * of the data is in the layers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PLACE_OUT_H
#define VV_PLACE_OUT_H

#include "index_out.h"
#include "layers_in.h"

struct vv_place_out {
    /* to read */
    uint64_t written; /* offset in the data of the next range */
    /* own */
    struct vv_index_columns *columns;
    uint64_t begin;             /* offset in the data of the last place */
    struct vv_layer_place last; /* the last place */
    bool is_packed;             /* the columns of compression exist */
};

/* Begins with empty columns. If `is_inside` the layer will be in the file of
 * the checkpoint, and the columns of compression are always created. */
void vv_place_out_begin(
    struct vv_place_out *out, struct vv_index_columns *columns, bool is_inside);

/* Returns true if a range at `place` would continue the last place. */
bool vv_place_continues(
    const struct vv_place_out *out, const struct vv_layer_place *place);

/* Adds the next `size` bytes of the data, which are at `place`. */
void vv_place_out_add(struct vv_place_out *out,
    const struct vv_layer_place *place, uint64_t size);

#endif
