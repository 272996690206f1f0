/* name_check.h - Checks the rules of names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NAME_CHECK_H
#define VV_NAME_CHECK_H

#include "index_check.h"

/* Checks that names are valid, sorted and unique. */
varve_status vv_check_names(const struct vv_index_check *check);

/* Checks that edges `begin` to `end` - 1 are named like those of a list. The
 * names must exist. */
varve_status vv_check_positions(
    const struct vv_index_check *check, uint32_t begin, uint32_t end);

/* Checks that each name is used. So the names are a function of the graph. */
varve_status vv_check_use(const struct vv_index_check *check);

#endif
