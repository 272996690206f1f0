/* npy_format.h - Reads a single NumPy array as a checkpoint with one variable
 * named arr_0, the name that np.savez gives to an array without a name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_FORMAT_H
#define VV_NPY_FORMAT_H

#include "foreign_format.h"

extern const struct vv_foreign_format vv_npy_format;

#endif
