/* hdf5_driver.h - a driver of libhdf5 whose files are bytes that the library
 * holds: there is no name to look up again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_DRIVER_H
#define VV_HDF5_DRIVER_H

#include "hdf5_file.h"

/* Sets `driver` and `access` of a file, which has its bytes. */
bool vv_hdf5_use_driver(struct vv_hdf5_file *file);

/* The file is gone: what libhdf5 could not close of it, as after damage, has no
 * bytes any more. libhdf5 tries again as the process ends. */
void vv_hdf5_leave_driver(struct vv_hdf5_file *file);

#endif
