/* cargo_copy.h - a cargo that needs the program no more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CARGO_COPY_H
#define VV_CARGO_COPY_H

#include "cargo.h"

/* Whether a value is copied late: large, and as it lies in a file. Of a cargo
 * that is not copied. */
bool vv_cargo_is_large(const struct vv_cargo *cargo, size_t value);

/* How large a block for copies of all values must be. */
size_t vv_cargo_copy_size(const struct vv_cargo *cargo);

/* Copies all that the program lends but large values, for which it finds places
 * in a block of that size, aligned to a page; what is spared (spared.h), or not
 * needed, gets no bytes there. The cargo needs neither options nor metadata nor
 * small values nor strings nor what lies elsewhere any more. On failure it is
 * as it was. */
varve_status vv_cargo_detach(
    struct vv_cargo *cargo, void *block, varve_error *error);

/* Copies the large ones, on all processors; once, on any thread, as long as
 * they are as they were. From here on nothing of the program is needed. */
void vv_cargo_copy(struct vv_cargo *cargo);

#endif
