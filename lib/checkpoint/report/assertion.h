/* assertion.h - whether everything matched, as a report tells.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ASSERTION_H
#define VV_ASSERTION_H

#include "delivery.h"

/* Whether the file has a value for everything that the program has, fitting or
 * not, before any is delivered. VARVE_UNMATCHED names all that it lacks. */
varve_status vv_assert_found(const struct vv_delivery *d, varve_error *error);

/* Whether all of the program has its value, and with `of_the_file` whether all
 * of the file has come to the program, with something of `only` among it.
 * VARVE_UNMATCHED names what has not. */
varve_status vv_assert_matched(
    const struct vv_delivery *d, bool of_the_file, varve_error *error);

/* How many values of the file were neither taken, nor given up, nor expected.
 * VARVE_NO_MEMORY. */
varve_status vv_count_unused(
    const struct vv_delivery *d, size_t *count, varve_error *error);

/* Whether anything of the file has matched, or the program has nothing that has
 * to be restored. VARVE_UNMATCHED names both sides. */
varve_status vv_assert_any(const struct vv_delivery *d, varve_error *error);
bool vv_has_any_match(const struct vv_delivery *d);

/* Whether anything besides the root did. */
varve_status vv_assert_nontrivial(
    const struct vv_delivery *d, varve_error *error);

#endif
