/* keras_names.h - Names the layers in files of Keras 3 by their own names, and
 * their variables by the names in Python.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_KERAS_NAMES_H
#define VV_KERAS_NAMES_H

#include "hdf5_graph.h"
#include "keras_config.h"

/* Renames `layers/dense_1` to `layers/<own name>` if all layers of a model have
 * a name of their own and these are different. Adds the alias `<layer>/kernel`
 * of `<layer>/vars/0` if the class of the layer is known. */
varve_status vv_keras_name_layers(
    struct vv_hdf5_graph *graph, const struct vv_keras_config *config);

/* Returns true if a variable of a layer is a statistic of the data, which the
 * optimizer does not train. `i` is its number, out of `count`. */
bool vv_keras_is_statistic(
    const struct vv_keras_layer *layer, size_t i, size_t count);

#endif
