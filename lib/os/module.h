/* module.h - a part of the library that is a file of its own, because of what
 * it needs: found beside the library, and never let go of again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MODULE_H
#define VV_MODULE_H

#include "buffer.h"

/* The address of `symbol` in the module `name` ("varve-hdf5.so"), or NULL; then
 * `reason` is why, in one line. It is looked for in the directory that the
 * environment variable VARVE_MODULES names, and nowhere else where that is set
 * (programs with more rights than their user's pass over it); beside the
 * library, where that is a shared one, in `varve` and, as a build has it, in
 * the folder of its room; in `installed`. */
const void *vv_module_find(const char *name, const char *symbol,
    const char *installed, struct vv_buffer *reason);

#endif
