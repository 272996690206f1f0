/* npz_in.h - Reads a zip archive of NumPy arrays (np.savez,
 * np.savez_compressed) as a checkpoint: NAME.npy is the value with the path
 * NAME.
 *
 * A stored array is read in place. The checksum in the archive covers header
 * and data; the checksum of the data is derived from it. Deflated arrays are
 * inflated when they are read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPZ_IN_H
#define VV_NPZ_IN_H

#include "foreign_format.h"

extern const struct vv_foreign_format vv_npz_format;

#endif
