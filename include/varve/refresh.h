/* refresh.h - Updates nodes of a graph before values are saved or restored.
 *
 *     varve_set_refresh(mesh, update_mesh, &simulation);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_REFRESH_H
#define VARVE_REFRESH_H

#include <varve/graph.h>

VARVE_BEGIN_DECLS

/* A callback that updates a node to the current state of the program. It binds
 * variables to current memory (varve_rebind), and adds and removes children.
 *
 * If the result is not VARVE_OK, the call in progress fails, with
 * VARVE_NO_MEMORY if that was the result, otherwise with VARVE_CALLBACK and the
 * path. If the callback causes an error that the graph would record, the call
 * in progress fails with it, and the graph does not record it. */
typedef varve_status varve_refresh(void *user, varve_node *node);

/* Sets a callback that updates a node before each save, restore, dry run and
 * snapshot.
 *
 * Each such call has a root, for example the node that is saved. The callback
 * is called if the node is reachable from the root, or the root from the node.
 * It runs on the thread of the call, before the library reads a value or
 * follows an edge. The callback must not remove the node itself or the root of
 * the call.
 *
 * A node has one callback; NULL removes it.
 *
 * For memory behind a pointer, varve_array_at (memory.h) is simpler. For
 * pointers in structs use varve_add_struct (struct.h). */
VARVE_API void varve_set_refresh(
    varve_node *node, varve_refresh *refresh, void *user);

VARVE_END_DECLS

#endif
