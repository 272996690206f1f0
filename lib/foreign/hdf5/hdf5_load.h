/* hdf5_load.h - the module, once a file needs it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_LOAD_H
#define VV_HDF5_LOAD_H

#include <varve/error.h>

#include "context.h"
#include "hdf5_module.h"

/* Sets *calls. VARVE_NOT_A_CHECKPOINT, with what is to be done, where the
 * module is not there or is of another version. `path` is of the file that
 * needs it. */
varve_status vv_hdf5_load(const struct vv_context *context, const char *path,
    const struct vv_hdf5_calls **calls, varve_error *error);

#endif
