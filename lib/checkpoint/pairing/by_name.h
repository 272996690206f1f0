/* by_name.h - matching what no path leads to: by the global names of the
 * program and of the file (varve_set_global_name).
 *
 * A name is a path without escapes. In the file it is looked for as a path, or
 * as a global name; what the program calls by its path is looked for as a
 * global name only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BY_NAME_H
#define VV_BY_NAME_H

#include "pairing.h"

/* Notes the global names of the file, and whether any name matters. */
varve_status vv_by_name_begin(struct vv_pairing *p, varve_error *error);
void vv_by_name_end(struct vv_pairing *p);

/* Tells that a node's global name may be new. */
void vv_by_name_changed(struct vv_pairing *p, varve_node *node);

/* Queues a node that has been visited, if it can have a value and none. */
void vv_by_name_consider(struct vv_pairing *p, varve_node *node);

/* Binds what is queued; that may queue nodes for matching in their turn. */
void vv_by_name_match(struct vv_pairing *p);

/* The node of the file whose global name is the path of a child that `parent`
 * does not have; VV_NONE. */
uint32_t vv_by_name_child(
    struct vv_pairing *p, varve_node *parent, const char *name);

#endif
