/* initial.h - which initial values are made of which others.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INITIAL_H
#define VV_INITIAL_H

#include "node.h"

/* Stands in a list of either end; freed with `node`, the one that needs. */
struct vv_need {
    varve_node *node;           /* needs `other` */
    varve_node *other;          /* NULL: it is gone */
    struct vv_need *next;       /* of the same node, in the order declared */
    struct vv_need *next_other; /* of the same other */
    struct vv_need *previous_other;
};

/* Lets go of what a node needs, and of what needs it: it is being freed. Its
 * extra part must be there. */
void vv_needs_forget(varve_node *node);

#endif
