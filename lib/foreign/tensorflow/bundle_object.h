/* bundle_object.h - Parses and validates the nodes of TensorFlow's object
 * graph, and finds slots that only positions identify.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_OBJECT_H
#define VV_BUNDLE_OBJECT_H

#include "bundle_entry.h"
#include "wire.h"

/* --- Nodes ---------------------------------------------------------------- */

/* Parses and validates the records of a node in TensorFlow's object graph: its
 * attributes and children. */

/* A node of the saved graph. */
struct vv_object {
    uint64_t at;   /* offset of its message */
    uint32_t size; /* size of the message */
    uint32_t node; /* its node in the draft */
};

/* The graph that is being read. */
struct vv_object_graph {
    const struct vv_foreign *foreign;
    struct vv_bundle *bundle;
    struct vv_draft *draft;
    const unsigned char *bytes;
    size_t size;
    struct vv_object *objects;
    uint32_t count;
    size_t capacity;
    uint32_t counter; /* the object of the save counter, or VV_NONE */
    uint32_t
        attributes; /* number of attributes of the object that is being added */
    bool has_families; /* some attributes stand for several tensors */
    struct vv_buffer
        rest; /* unparsed fields of the object that is being added */
    varve_error *error;
};

/* An attribute. The strings point into the message. */
struct vv_attribute {
    const char *name;
    size_t name_size;
    const char *full_name;
    size_t full_name_size;
    const char *key;
    size_t key_size;
    struct vv_bundle_entry
        *entry; /* NULL: several tensors, or a declaration without a value */
    bool is_declared; /* a variable that had no value when it was saved */
    bool is_optional;
};

struct vv_child {
    uint32_t object;
    const char *name;
    size_t size;
};

/* Called for every child of an object. */
typedef varve_status vv_each_child(struct vv_object_graph *graph,
    uint32_t object, const struct vv_child *child, void *user);

/* Returns VARVE_CORRUPT with a message that names the object. */
varve_status vv_object_fail(
    const struct vv_object_graph *graph, uint32_t object, const char *problem);

/* Returns the fields of an object. */
struct vv_wire vv_object_wire(
    const struct vv_object_graph *graph, uint32_t object);

/* vv_object_text reads a text from a field, vv_object_node the number of a
 * node. */
varve_status vv_object_text(const struct vv_wire *wire,
    const struct vv_wire_field *field, const char **text, size_t *size);
varve_status vv_object_node(const struct vv_object_graph *graph,
    uint32_t object, const struct vv_wire *wire,
    const struct vv_wire_field *field, uint32_t *node);

/* Parses an attribute and finds its entry. */
varve_status vv_object_attribute(const struct vv_object_graph *graph,
    uint32_t object, struct vv_wire wire, struct vv_attribute *attribute);

/* Calls `each` for every child of an object until a call fails. */
varve_status vv_object_children(struct vv_object_graph *graph, uint32_t object,
    vv_each_child *each, void *user);

/* Sets *attributes to the number of attributes of an object, *others to the
 * number of children and slots, and *last to one of the attributes. Attributes
 * that need not be restored are not counted, so that they do not affect the
 * kind of the node. */
varve_status vv_object_count(const struct vv_object_graph *graph,
    uint32_t object, uint32_t *attributes, uint32_t *others,
    struct vv_attribute *last);

/* vv_attribute_is_variable returns true for the value of a variable,
 * vv_attribute_is_bytes for Python state, which is a scalar string. */
bool vv_attribute_is_variable(const struct vv_attribute *attribute);
bool vv_attribute_is_bytes(const struct vv_attribute *attribute);

/* Returns the kind of node that an attribute becomes. It must not stand for
 * several tensors. */
varve_kind vv_attribute_kind(const struct vv_attribute *attribute);

/* --- Slots by position ---------------------------------------------------- */

/* Finds slots of a TensorFlow checkpoint that are identified by positions only.
 *
 * A Keras 3 optimizer has its variables in a list, `_trainable_variables`, and
 * their moments in other lists, such as `_momentums` and `_velocities`, at the
 * same positions. If all lists have the same length and every moment has the
 * type and shape of its variable, the moments become slots too, with the name
 * of their list. The edges are kept.
 *
 * A checkpoint with slot records gets no other slots. */

/* Adds these slots. All objects and values must be in the draft. */
varve_status vv_bundle_moments_add(struct vv_object_graph *graph);

#endif
