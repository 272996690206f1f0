/* cargo_layered.h - a cargo to a checkpoint of which only what changed is
 * written.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CARGO_LAYERED_H
#define VV_CARGO_LAYERED_H

#include "cargo.h"

/* vv_cargo_write where `layered` is wanted. */
varve_status vv_cargo_write_layered(
    struct vv_cargo *cargo, const char *path, int flags, varve_error *error);

#endif
