/* npz_in.h - Reads NumPy arrays as a checkpoint: a zip archive of them, or a
 * single one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPZ_IN_H
#define VV_NPZ_IN_H

#include "foreign_format.h"

/* --- Single arrays -------------------------------------------------------- */

/* Reads a single NumPy array as a checkpoint with one variable named arr_0, the
 * name that np.savez gives to an array without a name. */

extern const struct vv_foreign_format vv_npy_format;

/* --- Archives ------------------------------------------------------------- */

/* Reads a zip archive of NumPy arrays (np.savez, np.savez_compressed) as a
 * checkpoint: NAME.npy is the value with the path NAME.
 *
 * A stored array is read in place. The checksum in the archive covers header
 * and data; the checksum of the data is derived from it. Deflated arrays are
 * inflated when they are read. */

extern const struct vv_foreign_format vv_npz_format;

#endif
