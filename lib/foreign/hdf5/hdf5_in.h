/* hdf5_in.h - Reads HDF5 files as checkpoints: files of Keras, h5py, MATLAB 7.3
 * and NetCDF 4, and Keras archives.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_IN_H
#define VV_HDF5_IN_H

#include "foreign_format.h"
#include "hdf5_graph.h"

/* --- Reading -------------------------------------------------------------- */

extern const struct vv_foreign_format vv_hdf5_format;

#endif
