/* moments.h - Recognizes slots that are implied by positions: an optimizer of
 * Keras 3 stores the variables that it trains in one list, and their moments at
 * the same positions of other lists, which can have any names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MOMENTS_H
#define VV_MOMENTS_H

#include "index.h"

#define VV_TRAINED_LIST "_trainable_variables"
#define VV_EVERY_LIST                                                          \
    "_variables" /* all variables of the optimizer, not a list of moments */

/* Sets *all to true if a reader will find all slots of an index by position, so
 * that none must be written. Returns false if memory runs out. */
bool vv_moments_are_all(
    const struct vv_index *index, const varve_allocator *allocator, bool *all);

#endif
