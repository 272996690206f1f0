/* bundle_objects.h - Writes the object graph of a TensorFlow checkpoint and the
 * keys of its values.
 *
 * A node becomes an object of TensorFlow, and its edges become children in the
 * same order. A saved value becomes an attribute: VARIABLE_VALUE, or py_state
 * for a state. In a graph that was read from such a checkpoint, a node that was
 * another attribute, one of several tensors, or an entry without an object,
 * gets that role again. It keeps its key as long as the key leads to it
 * (bundle_kept.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_OBJECTS_H
#define VV_BUNDLE_OBJECTS_H

#include <varve/error.h>

#include "buffer.h"
#include "bundle_roles.h"
#include "index.h"

/* --- Keys ----------------------------------------------------------------- */

/* Parses the keys of values in an object-based TensorFlow checkpoint:
 * `PATH/.ATTRIBUTES/NAME`, or `VARIABLE/.OPTIMIZER_SLOT/OWNER/SLOT` followed by
 * `/.ATTRIBUTES/NAME`. In names, '.' is written as ".." and '/' as ".S". */

/* Returns true if a key belongs to an attribute of a node, by any path from
 * node 0 to the node or as that of a slot variable. */
bool vv_bundle_key_leads(const struct vv_index *index, const char *key,
    size_t size, uint32_t node, struct vv_buffer *scratch);

/* --- Objects -------------------------------------------------------------- */

struct vv_bundle_objects {
    const struct vv_target *target;
    struct vv_bundle_roles roles;
    struct vv_buffer ways; /* edges of the path that is being written */
    struct vv_buffer name, key;
};

varve_status vv_bundle_objects_begin(struct vv_bundle_objects *objects,
    const struct vv_target *target, varve_error *error);

/* Must be called even if vv_bundle_objects_begin failed. */
void vv_bundle_objects_end(struct vv_bundle_objects *objects);

/* Sets `key` to the key of a node's value: the escaped names of its path, then
 * the attribute. The key of a slot variable begins with that of its variable.
 * Overwrites the name in `objects`. */
void vv_bundle_objects_key(
    struct vv_bundle_objects *objects, uint32_t node, struct vv_buffer *key);

/* Sets `name` to the global name of a node, or to its path if it has none. */
void vv_bundle_full_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name);

/* Appends the graph as a TrackableObjectGraph message. */
varve_status vv_bundle_objects_encode(struct vv_bundle_objects *objects,
    struct vv_buffer *bytes, varve_error *error);

#endif
