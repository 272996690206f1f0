/* by_name.h - Matches nodes that no path leads to, by global names of the
 * program and of the file (varve_set_global_name).
 *
 * A name is a path without escapes. The global name of a node of the program is
 * searched for among the paths and the global names of the file. The path of a
 * node is searched for among the global names only if these are the keys of the
 * file (vv_parsed_index.names_are_keys).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BY_NAME_H
#define VV_BY_NAME_H

#include "matching.h"

/* Reports that a node may have a new global name. */
void vv_by_name_changed(struct vv_matching *m, varve_node *node);

/* Binds the queued nodes by name. This can queue further nodes. */
void vv_by_name_match(struct vv_matching *m);

/* Returns the node of the file whose key is the path of a child that `parent`
 * does not have, or VV_NONE. */
uint32_t vv_by_name_child(
    struct vv_matching *m, varve_node *parent, const char *name);

#endif
