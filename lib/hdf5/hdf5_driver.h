/* hdf5_driver.h - Registers a driver of libhdf5 that accesses bytes through
 * callbacks of the library, so that no file is opened by name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_DRIVER_H
#define VV_HDF5_DRIVER_H

#include "hdf5_file.h"

/* Sets `driver` and `access` of a file whose `bytes` are set. */
bool vv_hdf5_use_driver(struct vv_hdf5_file *file);

/* Detaches a file that is being closed from its streams. Streams that libhdf5
 * could not close, for example after damage, fail from now on; libhdf5 tries to
 * close them again at exit. */
void vv_hdf5_leave_driver(struct vv_hdf5_file *file);

#endif
