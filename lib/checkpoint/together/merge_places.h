/* merge_places.h - at rank 0: where in layers what all ranks have placed lies.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MERGE_PLACES_H
#define VV_MERGE_PLACES_H

#include "layer_base.h"
#include "merge.h"

/* Fills in the columns of places, and numbers the layers as these name them.
 * Where chunks go each its own way, once it is known where all are; the base
 * is that in which some lie, or NULL. */
varve_status vv_merge_places(struct vv_merge *merge,
    const struct vv_layer_base *base, varve_error *error);

#endif
