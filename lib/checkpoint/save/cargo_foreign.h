/* cargo_foreign.h - what was gathered, as the files of another format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CARGO_FOREIGN_H
#define VV_CARGO_FOREIGN_H

#include "cargo.h"

/* Writes a cargo in the format of its options, with these flags of
 * publish.h. */
varve_status vv_cargo_write_foreign(
    struct vv_cargo *cargo, const char *path, int flags, varve_error *error);

#endif
