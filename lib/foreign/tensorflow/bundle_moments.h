/* bundle_moments.h - slots of a TensorFlow checkpoint that only positions tell.
 *
 * An optimizer of Keras 3 has the variables that it trains in a list,
 * `_trainable_variables`, and its moments in others, `_momentums` and
 * `_velocities`: what is at one position belongs together. Where every list has
 * as many elements, and every moment is of the type and shape of its variable,
 * the moments are slots as well, by the name of their list. The edges stay.
 *
 * A checkpoint that has slots of its own has no others.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_MOMENTS_H
#define VV_BUNDLE_MOMENTS_H

#include "bundle_object.h"

/* Adds those slots, once all objects and their values are there. */
varve_status vv_bundle_moments_add(struct vv_object_graph *graph);

#endif
