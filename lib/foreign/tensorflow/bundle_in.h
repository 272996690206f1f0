/* bundle_in.h - Reads TensorFlow checkpoints (TensorBundle V2):
 * `<prefix>.index`, a table of entries, and `<prefix>.data-SSSSS-of-NNNNN`, the
 * bytes of tensors (tensorflow/core/util/tensor_bundle).
 *
 * The graph of an object-based checkpoint is its object graph (bundle_graph.h);
 * that of a name-based checkpoint is made of flat names. Numbers from a
 * little-endian writer are read in place. Strings, variants, tensors in slices,
 * and values from a big-endian writer are decoded when they are read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_IN_H
#define VV_BUNDLE_IN_H

#include "foreign_format.h"

extern const struct vv_foreign_format vv_bundle_format;

#endif
