/* offering.h - what the file has and the program lacks, offered to the nodes
 * that make children on demand.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OFFERING_H
#define VV_OFFERING_H

#include "matching.h"

/* Asks the node of a place of the work queue for each child that the file has
 * and nothing is bound to. The callback may add to the graph, and so to the
 * work queue. */
void vv_offer(struct vv_matching *m, size_t place);

#endif
