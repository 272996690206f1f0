/* bundle_in.h - checkpoints of TensorFlow (TensorBundle V2): `<prefix>.index`,
 * a table of entries, and `<prefix>.data-SSSSS-of-NNNNN`, the bytes of tensors
 * (tensorflow/core/util/tensor_bundle).
 *
 * An object-based checkpoint becomes its object graph (bundle_graph.h), a
 * name-based one flat names. Plain tensors of a little-endian writer are read
 * where they lie; strings, variants, tensors in slices and those of a writer of
 * the other byte order are made when they are read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_IN_H
#define VV_BUNDLE_IN_H

#include "foreign_format.h"

extern const struct vv_foreign_format vv_bundle_format;

#endif
