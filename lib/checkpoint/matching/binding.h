/* binding.h - who is bound to whom.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BINDING_H
#define VV_BINDING_H

#include "matching.h"

/* Binds a node of the program to a node of the file, decides about the value,
 * and queues the node. Where another one holds the node of the file and has the
 * better claim, this one is a conflict: it is matched below all the same, and
 * given a copy of the value where that is asked for. */
void vv_bind(struct vv_matching *m, varve_node *node, uint32_t file,
    enum vv_match_rank how);

#endif
