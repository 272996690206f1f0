/* hdf5_out.h - Writes a graph as an HDF5 file.
 *
 * Objects are groups, variables are contiguous datasets, and other paths to an
 * object are hard links. A slot is at `<owner>/@slots/<slot>/<path of its
 * variable>`. States are opaque bytes with a tag. Groups and names that Keras
 * wrote are written the same way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_OUT_H
#define VV_HDF5_OUT_H

#include "target.h"

extern const struct vv_target_format vv_hdf5_target;

#endif
