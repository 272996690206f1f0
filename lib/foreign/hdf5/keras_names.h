/* keras_names.h - files of Keras 3: layers by their own names, and their
 * variables by the names that these have in Python.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_KERAS_NAMES_H
#define VV_KERAS_NAMES_H

#include "hdf5_graph.h"
#include "keras_config.h"

/* `layers/dense_1` becomes `layers/<its name>`, where all layers of a model say
 * their names and no two are called alike; `<layer>/kernel` is one more name of
 * `<layer>/vars/0`, where its class is known. */
varve_status vv_keras_name_layers(
    struct vv_hdf5_graph *graph, const struct vv_keras_config *config);

/* Whether a variable of a layer follows the data, so that no optimizer trains
 * it; `i` is its number of `count`. */
bool vv_keras_is_statistic(
    const struct vv_keras_layer *layer, size_t i, size_t count);

#endif
