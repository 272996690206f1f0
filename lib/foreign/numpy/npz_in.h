/* npz_in.h - a zip archive of NumPy arrays (np.savez, np.savez_compressed) as a
 * checkpoint: NAME.npy is the value of the path NAME.
 *
 * A stored array is read where it lies; the sum of the archive is that of
 * header and data together, of which that of the data follows. What is
 * deflated is inflated when it is asked for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPZ_IN_H
#define VV_NPZ_IN_H

#include "foreign_format.h"

extern const struct vv_foreign_format vv_npz_format;

#endif
