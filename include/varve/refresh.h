/* refresh.h - nodes that are brought up to date before values are saved or
 * restored.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_REFRESH_H
#define VARVE_REFRESH_H

#include <varve/graph.h>

VARVE_BEGIN_DECLS

/* Brings a node up to date with the program: binds variables to the memory that
 * there is now (varve_rebind), adds and removes children. Anything but VARVE_OK
 * fails the call that it was called by: VARVE_NO_MEMORY as that, all else as
 * VARVE_CALLBACK with the path. A mistake that it makes in the graph fails the
 * call too, and is none of the graph then. */
typedef varve_status varve_refresh(void *user, varve_node *node);

/* Has `refresh` called with the node at the beginning of each call that saves,
 * plans, or restores values of it, or takes a snapshot, of a node from which it
 * can be reached, or which can be reached from it; by the thread of that call,
 * before the library reads any value or follows any edge. The callback must not
 * remove the node itself, and what it removes below must not be the node that
 * is saved. One at a time for each node; NULL takes it away. It costs a call,
 * and what the callback does.
 *
 * For memory behind a pointer varve_array_at (varve/memory.h) is simpler, and
 * varve_add_struct (varve/struct.h) for pointers in structs. */
VARVE_API void varve_set_refresh(
    varve_node *node, varve_refresh *refresh, void *user);

VARVE_END_DECLS

#endif
