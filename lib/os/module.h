/* module.h - Loads a part of the library that is a separate file because of its
 * dependencies. It is never unloaded.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MODULE_H
#define VV_MODULE_H

#include "buffer.h"

/* Returns the address of `symbol` in the module `name` ("varve-hdf5.so").
 * Returns NULL on failure, with a reason of one line in `reason`. Searches only
 * the directory in the environment variable VARVE_MODULES if that is set
 * (programs with elevated privileges ignore it). Otherwise searches the
 * directory of the library if it is a shared one, its subfolder `varve`, the
 * folder of the module in a build tree, and `installed`. */
const void *vv_module_find(const char *name, const char *symbol,
    const char *installed, struct vv_buffer *reason);

#endif
