/* draft_dots.h - Splits names at their dots: `layers.0.weight` becomes
 * `layers/0/weight`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_DOTS_H
#define VV_DRAFT_DOTS_H

#include "draft.h"

/* Splits the names of edges at their dots, in a draft without paths. Creates
 * the objects between the parts. A name with an empty part stays as it is. If a
 * prefix of a name is a value, or the name would occur twice, the part that
 * does not fit stays unsplit. Slots, global names and nodes with several paths
 * are not changed. To bound the memory that a file can consume, names are no
 * longer split when the number of new objects exceeds what reasonable files
 * need. */
void vv_draft_split_dots(struct vv_draft *draft);

#endif
