/* npy_source.h - a single NumPy array as a checkpoint of one variable, which is
 * called arr_0, as np.savez calls an array without a name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_SOURCE_H
#define VV_NPY_SOURCE_H

#include "source.h"

extern const struct vv_source_format vv_npy_source;

#endif
