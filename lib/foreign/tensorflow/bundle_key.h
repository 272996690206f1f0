/* bundle_key.h - keys of values in an object-based TensorFlow checkpoint, taken
 * apart: `PATH/.ATTRIBUTES/NAME`, or `VARIABLE/.OPTIMIZER_SLOT/OWNER/SLOT` and
 * then that. In names a '.' is ".." and a '/' is ".S".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_KEY_H
#define VV_BUNDLE_KEY_H

#include "buffer.h"
#include "index.h"

/* Whether a key is that of an attribute of this node, by any of its paths from
 * node 0 or as a slot variable. */
bool vv_bundle_key_leads(const struct vv_index *index, const char *key,
    size_t size, uint32_t node, struct vv_buffer *scratch);

#endif
