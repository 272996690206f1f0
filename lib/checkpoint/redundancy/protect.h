/* protect.h - the files of all ranks are protected, each by others.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PROTECT_H
#define VV_PROTECT_H

#include "redundancy.h"

/* Called by all ranks, each with its own file, which is there and durable, or
 * with what it failed with: that is the failure of all then. Parity files are
 * published, and replace what has their names. Where it fails, some may be
 * there. */
varve_status vv_protect(const struct vv_redundancy *redundancy,
    const struct vv_redundant_file *own, varve_status status,
    varve_error *error);

#endif
