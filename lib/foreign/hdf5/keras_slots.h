/* keras_slots.h - what optimizers of Keras 3 keep of variables, as slots.
 *
 * A file has it by numbers alone, `optimizer/vars/7`: the first few are of the
 * optimizer itself, then come one, two or three of each variable that is
 * trained, in the order of the model. They become slots where types and shapes
 * fit in one way only, and stay what they are else.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_KERAS_SLOTS_H
#define VV_KERAS_SLOTS_H

#include "hdf5_graph.h"
#include "keras_config.h"

varve_status vv_keras_add_slots(
    struct vv_hdf5_graph *graph, const struct vv_keras_config *config);

/* Whether two things are variables of one type and shape. */
bool vv_keras_is_same(const struct vv_hdf5_graph *graph, size_t a, size_t b);

#endif
