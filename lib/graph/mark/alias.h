/* alias.h - other names under which files may have a node, and names that they
 * have below it and the program no more; the calls are public (varve/graph.h).
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

/* The first alias of a node, in the order in which they were given, or NULL. */
const struct vv_alias *vv_first_alias(const varve_node *node);

/* The first retired name of a node's children, the one given last, or NULL. */
const struct vv_alias *vv_first_retired(const varve_node *node);

/* Whether the program has retired that name of a child. */
bool vv_is_retired(const varve_node *node, const char *name, size_t size);

#endif
