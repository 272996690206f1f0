/* bundle_value.h - Decodes and verifies values of a TensorFlow checkpoint that
 * do not have the layout of Varve's own format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_VALUE_H
#define VV_BUNDLE_VALUE_H

#include "bundle_entry.h"

/* Reads the lengths of a string tensor and sets entry->strings_size, the size
 * of its elements in Varve's own format. */
varve_status vv_bundle_measure_strings(const struct vv_foreign *foreign,
    const struct vv_bundle *bundle, struct vv_bundle_entry *entry,
    varve_error *error);

/* Decodes a value to the layout of Varve's own format. `size` is its size
 * there. */
varve_status vv_bundle_decode(const struct vv_foreign *foreign,
    const struct vv_bundle *bundle, const struct vv_bundle_entry *entry,
    unsigned char *bytes, size_t size, varve_error *error);

#endif
