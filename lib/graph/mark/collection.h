/* collection.h - Visits the nodes of a selection, in the order in which they
 * were created.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_COLLECTION_H
#define VV_COLLECTION_H

#include <varve/collection.h>

#include "node.h"

typedef varve_status vv_visit_node(
    void *user, varve_node *node, varve_error *error);

/* Like varve_each, but does not compute paths. `visit` must not change the
 * graph. */
varve_status vv_each_node(varve_node *root, const varve_select *select,
    vv_visit_node *visit, void *user, varve_error *error);

#endif
