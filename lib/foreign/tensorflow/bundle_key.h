/* bundle_key.h - Parses the keys of values in an object-based TensorFlow
 * checkpoint: `PATH/.ATTRIBUTES/NAME`, or `VARIABLE/.OPTIMIZER_SLOT/OWNER/SLOT`
 * followed by `/.ATTRIBUTES/NAME`. In names, '.' is written as ".." and '/' as
 * ".S".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_KEY_H
#define VV_BUNDLE_KEY_H

#include "buffer.h"
#include "index.h"

/* Returns true if a key belongs to an attribute of a node, by any path from
 * node 0 to the node or as that of a slot variable. */
bool vv_bundle_key_leads(const struct vv_index *index, const char *key,
    size_t size, uint32_t node, struct vv_buffer *scratch);

#endif
