/* struct_look.h - Updates structs whose pointers and counts the program has
 * changed without a call.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRUCT_LOOK_H
#define VV_STRUCT_LOOK_H

#include <varve/error.h>

#include "node.h"

/* Updates nodes with callbacks or pointers (refresh.h), then the structs that
 * can be reached from a node, which must not be nil, and the one that contains
 * it: pointers that have changed, and members that count. Called by all
 * functions that save or restore values. Costs one comparison for each field
 * that can move, and nothing for structs without such fields. Returns
 * VARVE_MISUSE with the path of a field that is not valid any more, or
 * VARVE_NO_MEMORY. The graph does not record the error. */
varve_status vv_structs_look(varve_node *root, varve_error *error);

#endif
