/* alias.h - Aliases, by which files may refer to a node, and retired names,
 * which files may contain but the program no longer uses. The functions are
 * public (varve/graph.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ALIAS_H
#define VV_ALIAS_H

#include "node.h"

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

#endif
