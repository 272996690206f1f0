/* cargo_digests.h - the digests of all values of a cargo, before any is
 * written.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CARGO_DIGESTS_H
#define VV_CARGO_DIGESTS_H

#include "cargo.h"

/* Fills in the column of digests, on all processors where it pays. */
varve_status vv_cargo_digest(struct vv_cargo *cargo, varve_error *error);

#endif
