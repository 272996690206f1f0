/* npy_format.h - a single NumPy array as a checkpoint of one variable, which is
 * called arr_0, as np.savez calls an array without a name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_FORMAT_H
#define VV_NPY_FORMAT_H

#include "foreign_format.h"

extern const struct vv_foreign_format vv_npy_format;

#endif
