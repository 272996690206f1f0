/* struct_look.h - structs whose pointers and counts a program has changed, and
 * has told nobody.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRUCT_LOOK_H
#define VV_STRUCT_LOOK_H

#include <varve/error.h>

#include "node.h"

/* Brings what has a callback or follows a pointer up to date (refresh.h), then
 * looks again at the structs that can be reached from a node, which is not nil,
 * and at one that it is a part of: at pointers that were set or lead elsewhere,
 * and at what members count. Called by all that save, take or restore values of
 * a program. One that is as it was costs a look at each field that can move,
 * and one without such fields nothing. VARVE_MISUSE with the path of a field
 * that does not match any more, VARVE_NO_MEMORY; the graph has no mistake of
 * it. */
varve_status vv_structs_look(varve_node *root, varve_error *error);

#endif
