/* global_name.h - Global names of variables and states. The functions for
 * programs are public (varve/variable.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GLOBAL_NAME_H
#define VV_GLOBAL_NAME_H

#include "node.h"

/* Returns the global name of a node, or NULL. */
const struct vv_name *vv_global_name(const varve_node *node);

/* Returns the number of nodes with global names. */
size_t vv_global_name_count(const varve_graph *graph);

/* Returns true if a node of the graph has this global name. */
bool vv_global_name_is_taken(const varve_graph *graph, const char *name);

#endif
