/* on_demand.h - Callbacks that may add children that a file contains. Programs
 * set them with varve_set_on_demand (varve/variable.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ON_DEMAND_H
#define VV_ON_DEMAND_H

#include <varve/variable.h>

#include "node.h"

struct vv_on_demand {
    struct vv_attachment attachment;
    /* to read */
    varve_on_demand *callback;
    void *user;
};

extern const struct vv_attachment_kind vv_on_demand_kind;

/* Returns the callback of a node, or NULL. */
static inline const struct vv_on_demand *vv_on_demand_of(const varve_node *node)
{
    return vv_attachment_find(node, &vv_on_demand_kind);
}

#endif
