/* store_module.h - what the module varve-remote gives: a system that knows
 * paths with a scheme, and stands on that of the machine for all others.
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
    /* The system, on top of `machine`, which stays; the same one every time.
     * NULL where libcurl cannot be had: *why says it. */
    const struct vv_system *(*enable)(const varve_remote_options *options,
        const struct vv_system *machine, const char **why);
};

#endif
