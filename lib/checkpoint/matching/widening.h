/* widening.h - Decides again about nodes that a new path brings into the scope
 * of the options.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WIDENING_H
#define VV_WIDENING_H

#include "matching.h"

/* Extends the scopes along a new edge or slot. */
void vv_widen_by_edge(struct vv_matching *m, struct vv_edge *edge);
void vv_widen_by_slot(struct vv_matching *m, struct vv_slot *slot);

#endif
