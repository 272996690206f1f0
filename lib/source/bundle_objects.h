/* bundle_objects.h - the object graph of a TensorFlow checkpoint, and the keys
 * of the values in it, for a graph that is saved.
 *
 * A node is an object of TensorFlow. Its edges are children in our order; a
 * value that is saved is an attribute: VARIABLE_VALUE, or py_state for a state.
 * Objects are numbered as ours, which is as TensorFlow numbers them: breadth
 * first, slot variables behind all others. A slot variable whose slot is not
 * recorded has no value there. A save counter is a variable that
 * TensorFlow hangs at node 0, behind the children that this has.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_OBJECTS_H
#define VV_BUNDLE_OBJECTS_H

#include <varve/error.h>

#include "buffer.h"
#include "target.h"

struct vv_bundle_objects {
    const struct vv_target *target;
    uint32_t counter;       /* the number of the save counter's object, one that
                               a node of ours had; VV_NONE: there is none */
    struct vv_buffer ways;  /* edges while a path is climbed */
    struct vv_buffer name, key;
    bool *has_values;       /* by node: it or one below it has */
    bool *is_left_out;      /* by node: it is a slot variable only, and of none
                               of the slots that are kept */
};

/* No save counter is put where the root cannot have a child or has one of that
 * name already. */
varve_status vv_bundle_objects_begin(struct vv_bundle_objects *objects,
    const struct vv_target *target, varve_error *error);

/* Also after a begin that failed. */
void vv_bundle_objects_end(struct vv_bundle_objects *objects);

/* Whether a slot is recorded: only that of a variable with a value, with a
 * value of its own, is one that a reader takes for a slot. */
bool vv_bundle_slot_is_kept(
    const struct vv_bundle_objects *objects, uint32_t slot);

/* Sets `key` to that of the value of a node: the names of its path, escaped,
 * then what it is. A slot variable is below its variable. */
void vv_bundle_objects_key(struct vv_bundle_objects *objects, uint32_t node,
    struct vv_buffer *key);

/* Sets `name` to the global name of a node; to its path where it has none. */
void vv_bundle_full_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name);

/* Appends the whole as a TrackableObjectGraph. */
varve_status vv_bundle_objects_encode(struct vv_bundle_objects *objects,
    struct vv_buffer *bytes, varve_error *error);

#endif
