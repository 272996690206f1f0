/* moments.h - slots that only positions tell: an optimizer of Keras 3 has the
 * variables that it trains in one list, and their moments in others, which have
 * any names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MOMENTS_H
#define VV_MOMENTS_H

#include "index.h"

#define VV_TRAINED_LIST "_trainable_variables"
#define VV_EVERY_LIST                                                          \
    "_variables" /* all of the optimizer: no list of moments */

/* Whether a reader would find all slots of an index by their positions again,
 * so that none has to be written. `all` is set unless there is no memory. */
bool vv_moments_are_all(
    const struct vv_index *index, const varve_allocator *allocator, bool *all);

#endif
