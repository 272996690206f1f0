/* hdf5_lzf.h - the filter LZF of h5py, which libhdf5 does not have.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_LZF_H
#define VV_HDF5_LZF_H

/* Registers the filter for reading, unless the process has one of its number:
 * that of h5py can write too. Runs in a turn. */
void vv_hdf5_use_lzf(void);

#endif
