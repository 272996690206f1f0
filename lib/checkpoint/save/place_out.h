/* place_out.h - the columns of places: what lies where in layers, told range by
 * range, from the beginning of the data on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PLACE_OUT_H
#define VV_PLACE_OUT_H

#include "index_columns.h"
#include "layers_in.h"

struct vv_place_out {
    /* to read */
    uint64_t written; /* where in the data the next range begins */
    /* own */
    struct vv_index_columns *columns;
    uint64_t begin;             /* where the last place begins, */
    struct vv_layer_place last; /* and that */
    bool is_packed;             /* some place */
};

/* The columns of places are empty. `is_inside`: the layer will be in the file
 * of the checkpoint, and all columns are there, whatever is packed. */
void vv_place_out_begin(
    struct vv_place_out *out, struct vv_index_columns *columns, bool is_inside);

/* Whether a range here would go on where the last place ends. */
bool vv_place_goes_on(
    const struct vv_place_out *out, const struct vv_layer_place *place);

/* The next `size` bytes of the data lie there. */
void vv_place_out_add(struct vv_place_out *out,
    const struct vv_layer_place *place, uint64_t size);

#endif
