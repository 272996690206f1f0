/* hdf5_load.h - Loads the module varve-hdf5 when a file needs it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_LOAD_H
#define VV_HDF5_LOAD_H

#include <varve/error.h>

#include "context.h"
#include "hdf5_module.h"

/* Sets *calls to the functions of the module. Returns VARVE_TOO_NEW, with a
 * message that describes the remedy, if the module does not exist or has
 * another version. `path` is the file that needs it. */
varve_status vv_hdf5_load(const struct vv_context *context, const char *path,
    const struct vv_hdf5_calls **calls, varve_error *error);

#endif
