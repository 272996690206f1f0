/* hdf5_lzf.h - Registers the filter LZF of h5py, which libhdf5 does not have.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_LZF_H
#define VV_HDF5_LZF_H

#include <stddef.h>

/* Registers the filter for reading, unless the process already has a filter
 * with its number: that of h5py can also write. The lock must be held. */
void vv_hdf5_use_lzf(void);

/* Sets the chunk size in bytes of the dataset that is being read; 0: none. The
 * lock must be held. */
void vv_hdf5_lzf_expect(size_t size);

#endif
