/* keras_moments.h - what optimizers keep of variables in files of Keras 2 and
 * their kin of Keras 3 (`model.save('x.h5')`), as slots: there the names say
 * whose it is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_KERAS_MOMENTS_H
#define VV_KERAS_MOMENTS_H

#include "hdf5_graph.h"

/* Of a weight `model_weights/<layer>/<path>`, below `optimizer_weights/<any>`:
 * `<slot>/<path>`, `<path>/<slot>`, and `<path with '_' for '/'>_<slot>` for
 * the slots that Keras 3 has; without the `:0` of their ends, and of the same
 * type and shape. The owner is `optimizer_weights`. */
varve_status vv_keras_add_moments(struct vv_hdf5_graph *graph);

#endif
