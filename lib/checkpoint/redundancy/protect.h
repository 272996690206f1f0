/* protect.h - Protects the files of all ranks by parity files on other ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PROTECT_H
#define VV_PROTECT_H

#include "redundancy.h"

/* Protects a set of files. Collective: each rank calls it after its own file is
 * durable, or with the `status` of a failure, which all ranks then return.
 * Publishes parity files, replacing existing ones. After a failure some of them
 * may exist. */
varve_status vv_protect(const struct vv_redundancy *redundancy,
    const struct vv_redundant_file *own, varve_status status,
    varve_error *error);

#endif
