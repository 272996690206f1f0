/* bundle_objects.h - the object graph of a TensorFlow checkpoint, and the keys
 * of the values in it, for a graph that is saved.
 *
 * A node is an object of TensorFlow. Its edges are children in our order; a
 * value that is saved is an attribute: VARIABLE_VALUE, or py_state for a state.
 * In a graph made from such a checkpoint, what was an attribute with another
 * name, one of many, or an entry without an object is that again, under its own
 * key as long as that leads to it (bundle_kept.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_OBJECTS_H
#define VV_BUNDLE_OBJECTS_H

#include <varve/error.h>

#include "buffer.h"
#include "bundle_roles.h"

struct vv_bundle_objects {
    const struct vv_target *target;
    struct vv_bundle_roles roles;
    struct vv_buffer ways; /* edges while a path is climbed */
    struct vv_buffer name, key;
};

varve_status vv_bundle_objects_begin(struct vv_bundle_objects *objects,
    const struct vv_target *target, varve_error *error);

/* Also after a begin that failed. */
void vv_bundle_objects_end(struct vv_bundle_objects *objects);

/* Sets `key` to that of the value of a node: the names of its path, escaped,
 * then what it is. A slot variable is below its variable. The name in `objects`
 * is not the same afterwards. */
void vv_bundle_objects_key(
    struct vv_bundle_objects *objects, uint32_t node, struct vv_buffer *key);

/* Sets `name` to the global name of a node; to its path where it has none. */
void vv_bundle_full_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name);

/* Appends the whole as a TrackableObjectGraph. */
varve_status vv_bundle_objects_encode(struct vv_bundle_objects *objects,
    struct vv_buffer *bytes, varve_error *error);

#endif
