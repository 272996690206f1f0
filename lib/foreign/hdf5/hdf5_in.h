/* hdf5_in.h - files of HDF5 as a checkpoint: those of Keras, of h5py, of
 * MATLAB 7.3, of NetCDF 4, and archives of Keras.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_IN_H
#define VV_HDF5_IN_H

#include "foreign_format.h"

extern const struct vv_foreign_format vv_hdf5_format;

#endif
