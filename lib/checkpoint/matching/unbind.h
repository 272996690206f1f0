/* unbind.h - Unbinds nodes that the program no longer holds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HOLDING_H
#define VV_HOLDING_H

#include "matching.h"

/* Removes the claim of a node to a value that another node holds. */
void vv_unclaim(struct vv_matching *m, varve_node *node);

/* Unbinds all nodes that are unreachable. Returns false if there is no memory
 * to find them. Nodes without any edge may be unbound even then. */
bool vv_sweep(struct vv_matching *m);

/* Calls vv_sweep. If memory runs out, everything is matched again. */
void vv_sweep_or_fail(struct vv_matching *m);

/* Returns true if matching has visited the node and it is still reachable. */
bool vv_is_held(struct vv_matching *m, const varve_node *node);

/* Returns true if the holder of a node of the file is still reachable in the
 * program. Otherwise it is unbound. */
bool vv_still_holds(struct vv_matching *m, uint32_t file);

/* Removes all references to a node that is about to be freed. */
void vv_forget_node(struct vv_matching *m, varve_node *node);

#endif
