/* unbind.h - letting go of what the program no longer holds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HOLDING_H
#define VV_HOLDING_H

#include "matching.h"

/* A node that claims what another holds does so no more. */
void vv_unclaim(struct vv_matching *m, varve_node *node);

/* Releases what is bound to nodes that cannot be reached any more; false
 * without memory to find them: their own may be gone then. */
bool vv_sweep(struct vv_matching *m);

/* The same; without memory all is matched again. */
void vv_sweep_or_fail(struct vv_matching *m);

/* Whether matching has come to the node, and it can still be reached. */
bool vv_is_held(struct vv_matching *m, const varve_node *node);

/* Whether the holder of a node of the file still holds a place in the program;
 * it is let go of else. */
bool vv_still_holds(struct vv_matching *m, uint32_t file);

/* Forgets a node that is about to be freed. */
void vv_forget_node(struct vv_matching *m, varve_node *node);

#endif
