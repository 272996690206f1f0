/* bundle_value.h - values of a TensorFlow checkpoint that do not lie in it as
 * ours do, made and verified.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_VALUE_H
#define VV_BUNDLE_VALUE_H

#include "bundle_entry.h"

/* Reads the lengths of a string tensor, as far as to know what its elements
 * take in a file of ours: entry->strings_size. */
varve_status vv_bundle_measure_strings(const struct vv_foreign *foreign,
    const struct vv_bundle *bundle, struct vv_bundle_entry *entry,
    varve_error *error);

/* Makes the bytes of an entry as a file of ours would have them; `size` is what
 * they take. */
varve_status vv_bundle_decode(const struct vv_foreign *foreign,
    const struct vv_bundle *bundle, const struct vv_bundle_entry *entry,
    unsigned char *bytes, size_t size, varve_error *error);

#endif
