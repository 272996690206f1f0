/* offering.h - Offers nodes that exist only in the file to nodes that make
 * children on demand.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OFFERING_H
#define VV_OFFERING_H

#include "matching.h"

/* Calls the callback of the node at a place of the work queue for each unbound
 * child in the file. The callback may add to the graph, and so to the work
 * queue. */
void vv_offer(struct vv_matching *m, size_t place);

#endif
