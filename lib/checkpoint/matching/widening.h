/* widening.h - what comes into the scope of the options by a new path, which is
 * decided again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WIDENING_H
#define VV_WIDENING_H

#include "matching.h"

/* Follows a new edge or slot. */
void vv_widen_by_edge(struct vv_matching *m, struct vv_edge *edge);
void vv_widen_by_slot(struct vv_matching *m, struct vv_slot *slot);

#endif
