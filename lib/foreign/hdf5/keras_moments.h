/* keras_moments.h - Adds slots for the optimizer state in files of Keras 2, and
 * of Keras 3 in the same layout (`model.save('x.h5')`), which identify the
 * variables by name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_KERAS_MOMENTS_H
#define VV_KERAS_MOMENTS_H

#include "hdf5_graph.h"

/* For a weight `model_weights/<layer>/<path>`, adds slots for the variables
 * below `optimizer_weights/<any>` at `<slot>/<path>`, at `<path>/<slot>`, and,
 * for the slots of Keras 3, at `<path with '_' for '/'>_<slot>`. The paths are
 * without trailing `:0`, and type and shape must be the same. The owner of the
 * slots is `optimizer_weights`. */
varve_status vv_keras_add_moments(struct vv_hdf5_graph *graph);

#endif
