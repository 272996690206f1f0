/* hdf5_load.c - Loads the module for each file. This is cheap once it is
 * loaded, and the library keeps no global state.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_load.h"

#include "failure.h"
#include "module.h"

#ifndef VV_MODULES
#define VV_MODULES "" /* this build does not have modules */
#endif

#define REMEDY                                                                 \
    "load it with Keras and write a tf.train.Checkpoint, or read it with "     \
    "h5py and use numpy.savez"

varve_status vv_hdf5_load(const struct vv_context *context, const char *path,
    const struct vv_hdf5_calls **calls, varve_error *error)
{
    struct vv_buffer reason;
    varve_status status = VARVE_OK;
    vv_buffer_init(&reason, &context->allocator);
    *calls = *VV_MODULES ? vv_module_find("varve-hdf5.so", VV_HDF5_SYMBOL,
                               VV_MODULES, &reason)
                         : NULL;
    if (reason.failed)
        status = vv_fail_memory(error, "the name of a module");
    else if (!*VV_MODULES)
        status = vv_fail(error, VARVE_TOO_NEW,
            "%s: this build does not support HDF5 files (Keras, h5py, NetCDF "
            "4): " REMEDY ", or build Varve with -Dhdf5=enabled",
            path);
    else if (!*calls)
        status = vv_fail(error, VARVE_TOO_NEW,
            "%s: HDF5 files need the module varve-hdf5 (build option "
            "-Dhdf5=enabled), which cannot be loaded: %s",
            path, vv_buffer_string(&reason));
    else if ((*calls)->version != VV_HDF5_VERSION)
        status = vv_fail(error, VARVE_TOO_NEW,
            "%s: expected version %d of the module varve-hdf5, found version "
            "%u",
            path, VV_HDF5_VERSION, (*calls)->version);
    vv_buffer_clear(&reason);
    return status;
}
