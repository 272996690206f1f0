/* binding.h - Binds nodes of the program to nodes of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BINDING_H
#define VV_BINDING_H

#include "matching.h"

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

#endif
