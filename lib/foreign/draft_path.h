/* draft_path.h - Turns the names of a flat file into a tree, and splits names
 * at their dots.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_PATH_H
#define VV_DRAFT_PATH_H

#include "draft.h"

/* --- Dots ----------------------------------------------------------------- */

/* Splits names at their dots: `layers.0.weight` becomes `layers/0/weight`. */

/* Splits the names of edges at their dots, in a draft without paths. Creates
 * the objects between the parts. A name with an empty part stays as it is. If a
 * prefix of a name is a value, or the name would occur twice, the part that
 * does not fit stays unsplit. Slots, global names and nodes with several paths
 * are not changed. To bound the memory that a file can consume, names are no
 * longer split when the number of new objects exceeds what reasonable files
 * need. */
void vv_draft_split_dots(struct vv_draft *draft);

/* --- Trees of names ------------------------------------------------------- */

/* Turns the paths of a draft into objects, edges and slots. The tree does not
 * depend on the order in which the paths were added: a prefix is processed
 * before the longer names that begin with it. */
void vv_draft_resolve_paths(struct vv_draft *draft);

#endif
