/* value_check.h - the rules of values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VALUE_CHECK_H
#define VV_VALUE_CHECK_H

#include "index_check.h"

/* Fills in the table, which has room for all values, and *end: the multiple of
 * 64 up to which the data goes. What it says counts only if the nodes are good,
 * which need not be known yet. */
varve_status vv_check_values(const struct vv_index_check *check,
    struct vv_value_table *table, uint64_t *end);

#endif
