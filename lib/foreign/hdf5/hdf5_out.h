/* hdf5_out.h - a graph as an HDF5 file.
 *
 * Objects are groups, variables datasets in one piece, further paths hard
 * links. A slot is at `<owner>/@slots/<slot>/<path of its variable>`, states
 * are bytes with a tag of their own. What Keras wrote is as Keras had it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_OUT_H
#define VV_HDF5_OUT_H

#include "target.h"

extern const struct vv_target_format vv_hdf5_target;

#endif
