/* npz_out.h - Writes a graph as a zip archive of NumPy arrays, as np.savez
 * does: stored, with NAME.npy for each variable that has a value.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPZ_OUT_H
#define VV_NPZ_OUT_H

#include "target.h"

extern const struct vv_target_format vv_npz_target;

#endif
