/* bundle_moments.h - Finds slots of a TensorFlow checkpoint that are identified
 * by positions only.
 *
 * A Keras 3 optimizer has its variables in a list, `_trainable_variables`, and
 * their moments in other lists, such as `_momentums` and `_velocities`, at the
 * same positions. If all lists have the same length and every moment has the
 * type and shape of its variable, the moments become slots too, with the name
 * of their list. The edges are kept.
 *
 * A checkpoint with slot records gets no other slots.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_MOMENTS_H
#define VV_BUNDLE_MOMENTS_H

#include "bundle_object.h"

/* Adds these slots. All objects and values must be in the draft. */
varve_status vv_bundle_moments_add(struct vv_object_graph *graph);

#endif
