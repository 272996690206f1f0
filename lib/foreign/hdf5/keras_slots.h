/* keras_slots.h - Adds slots for the optimizer state of Keras 3.
 *
 * A file contains it under numbers, `optimizer/vars/7`: the first variables
 * belong to the optimizer itself, followed by one, two or three for each
 * trained variable, in the order of the model. They become slots if types and
 * shapes allow only one assignment; otherwise they stay ordinary variables.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_KERAS_SLOTS_H
#define VV_KERAS_SLOTS_H

#include "hdf5_graph.h"
#include "keras_config.h"

varve_status vv_keras_add_slots(
    struct vv_hdf5_graph *graph, const struct vv_keras_config *config);

/* Returns true if two items are variables of the same type and shape. */
bool vv_keras_is_same(const struct vv_hdf5_graph *graph, size_t a, size_t b);

#endif
