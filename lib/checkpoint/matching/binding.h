/* binding.h - Binds nodes of the program to nodes of the file, and unbinds
 * those that the program no longer holds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BINDING_H
#define VV_BINDING_H

#include "matching.h"

/* --- Binding -------------------------------------------------------------- */

/* Binds a node of the program to a node of the file, decides about the value
 * and queues the node. If another node holds the node of the file and has the
 * better claim, there is a conflict: the nodes below are still matched, and the
 * node receives a copy of the value if copies are requested. */
void vv_bind(struct vv_matching *m, varve_node *node, uint32_t file,
    enum vv_match_rank how);

/* --- Options at new paths ------------------------------------------------- */

/* Decides again about nodes that a new path brings into the scope of the
 * options. */

/* Extends the scopes along a new edge or slot. */
void vv_widen_by_edge(struct vv_matching *m, struct vv_edge *edge);
void vv_widen_by_slot(struct vv_matching *m, struct vv_slot *slot);

/* --- Unbinding ------------------------------------------------------------ */

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
