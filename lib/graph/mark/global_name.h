/* global_name.h - names of variables and states beside the graph's paths; the
 * calls are public (varve/variable.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GLOBAL_NAME_H
#define VV_GLOBAL_NAME_H

#include "node.h"

/* That of a node, or NULL. */
const struct vv_name *vv_global_name(const varve_node *node);

/* How many nodes of the graph have one. */
size_t vv_global_name_count(const varve_graph *graph);

/* Whether a node of the graph has it. */
bool vv_global_name_is_taken(const varve_graph *graph, const char *name);

#endif
