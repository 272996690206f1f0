/* value_check.h - Checks the rules of values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VALUE_CHECK_H
#define VV_VALUE_CHECK_H

#include "index_check.h"

/* Fills in the table, which has room for all values, and sets *end to the end
 * of the data, rounded up to a multiple of 64. The results are valid only if
 * the nodes are valid too, which can be checked later. Values that are equal to
 * those of `like`, a valid index, are not checked one by one; it can be NULL.
 */
varve_status vv_check_values(const struct vv_index_check *check,
    const struct vv_index *like, struct vv_value_table *table, uint64_t *end);

#endif
