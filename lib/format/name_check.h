/* name_check.h - the rules of names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NAME_CHECK_H
#define VV_NAME_CHECK_H

#include "index_check.h"

/* That names are valid, sorted and unique. */
varve_status vv_check_names(const struct vv_index_check *check);

/* That edges `begin` to `end` - 1, whose names are there, are named as those of
 * a list are. */
varve_status vv_check_positions(
    const struct vv_index_check *check, uint32_t begin, uint32_t end);

/* That each name is used, which makes the pool a function of the graph. */
varve_status vv_check_use(const struct vv_index_check *check);

#endif
