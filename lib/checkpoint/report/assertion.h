/* assertion.h - Checks that everything matched, based on a report.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ASSERTION_H
#define VV_ASSERTION_H

#include "delivery.h"

/* Checks that the file has a value for every variable of the program, of any
 * type, before any value is delivered. Returns VARVE_UNMATCHED and lists all
 * that are missing. */
varve_status vv_assert_found(const struct vv_delivery *d, varve_error *error);

/* Checks that every variable of the program was restored and, with
 * `of_the_file`, that every value of the file was used and `only` selects at
 * least one. Returns VARVE_UNMATCHED and lists the others. */
varve_status vv_assert_matched(
    const struct vv_delivery *d, bool of_the_file, varve_error *error);

/* Sets *count to the number of values of the file that were neither used nor
 * dropped nor expected to be unused. May return VARVE_NO_MEMORY. */
varve_status vv_count_unused(
    const struct vv_delivery *d, size_t *count, varve_error *error);

/* Checks that a value of the file has matched, or that the program has nothing
 * that must be restored. Returns VARVE_UNMATCHED and names both sides. */
varve_status vv_assert_any(const struct vv_delivery *d, varve_error *error);

/* Returns true if a node other than the root is bound, or a value was
 * delivered. */
bool vv_has_any_match(const struct vv_delivery *d);

/* Checks that a node other than the root has matched. */
varve_status vv_assert_nontrivial(
    const struct vv_delivery *d, varve_error *error);

#endif
