/* node_names.h - Names of nodes that are not names of edges: aliases, retired
 * names and global names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NODE_NAMES_H
#define VV_NODE_NAMES_H

#include "node.h"

/* --- Aliases -------------------------------------------------------------- */

/* Aliases, by which files may refer to a node, and retired names, which files
 * may contain but the program no longer uses. The functions are public
 * (varve/graph.h). */

struct vv_alias {
    /* to read */
    struct vv_alias *next;
    const struct vv_name *name;
};

/* Returns the first alias of a node, in the order in which they were added, or
 * NULL. */
const struct vv_alias *vv_first_alias(const varve_node *node);

/* Returns the most recently retired name of a child, or NULL. */
const struct vv_alias *vv_first_retired(const varve_node *node);

/* Returns true if the program has retired this name of a child. */
bool vv_is_retired(const varve_node *node, const char *name, size_t size);

/* --- Global names --------------------------------------------------------- */

/* Global names of variables and states. The functions for programs are public
 * (varve/variable.h). */

/* Returns the global name of a node, or NULL. */
const struct vv_name *vv_global_name(const varve_node *node);

/* Returns the number of nodes with global names. */
size_t vv_global_name_count(const varve_graph *graph);

/* Returns true if a node of the graph has this global name. */
bool vv_global_name_is_taken(const varve_graph *graph, const char *name);

#endif
