/* store_module.h - The interface of the module varve-remote: a system for paths
 * with a scheme, which passes all other calls to the local system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STORE_MODULE_H
#define VV_STORE_MODULE_H

#include <varve/remote.h>

#include "failure.h"
#include "system.h"

#define VV_STORE_SYMBOL "vv_store_calls"

enum { VV_STORE_VERSION = 3 };

struct vv_store_calls {
    /* to read */
    unsigned version;   /* VV_STORE_VERSION */
    size_t system_size; /* of struct vv_system */
    struct vv_failure_words words;
    /* Returns the system on top of `machine`, which must remain valid. Returns
     * the same system every time. Returns NULL if libcurl is not available, and
     * sets *why to the reason. */
    const struct vv_system *(*enable)(const varve_remote_options *options,
        const struct vv_system *machine, const char **why);
};

#endif
