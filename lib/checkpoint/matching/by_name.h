/* by_name.h - matching what no path leads to: by the global names of the
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

/* Tells that a node's global name may be new. */
void vv_by_name_changed(struct vv_matching *m, varve_node *node);

/* Binds what is noted; that may queue nodes for matching in their turn. */
void vv_by_name_match(struct vv_matching *m);

/* The node of the file whose key is the path of a child that `parent` does not
 * have; VV_NONE. */
uint32_t vv_by_name_child(
    struct vv_matching *m, varve_node *parent, const char *name);

#endif
