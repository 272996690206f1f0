/* cargo_out.h - what was gathered on its way to disk. No graph is looked at.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CARGO_OUT_H
#define VV_CARGO_OUT_H

#include "cargo.h"

/* Writes the file or files of a cargo and publishes them, by the rules of
 * varve_write. May be called again, as where a name was taken. On any thread:
 * the progress and loss callbacks run there. */
varve_status vv_cargo_write(
    struct vv_cargo *cargo, const char *path, varve_error *error);

#endif
