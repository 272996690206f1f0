/* bundle_object.h - the records of a saved TensorFlow object: its attributes
 * and its children, checked as they are taken.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_OBJECT_H
#define VV_BUNDLE_OBJECT_H

#include "bundle_entry.h"
#include "wire_in.h"

/* One node of the saved graph. */
struct vv_object {
    uint64_t at;   /* where its message begins */
    uint32_t size; /* of the message */
    uint32_t node; /* in the draft */
};

/* The graph while it is read. */
struct vv_object_graph {
    const struct vv_foreign *foreign;
    struct vv_bundle *bundle;
    struct vv_draft *draft;
    const unsigned char *bytes;
    size_t size;
    struct vv_object *objects;
    uint32_t count;
    size_t capacity;
    uint32_t counter;      /* the object that is the save counter, or VV_NONE */
    uint32_t attributes;   /* of the object that is being added */
    bool has_families;     /* attributes that are several tensors */
    struct vv_buffer rest; /* further fields of that object */
    varve_error *error;
};

/* Its texts are those of the message. */
struct vv_attribute {
    const char *name;
    size_t name_size;
    const char *full_name;
    size_t full_name_size;
    const char *key;
    size_t key_size;
    struct vv_bundle_entry *entry; /* NULL: a family, or a mere declaration */
    bool is_declared;              /* a variable that had no value to save */
    bool is_optional;
};

struct vv_child {
    uint32_t object;
    const char *name;
    size_t size;
};

/* Calls for every child of an object. */
typedef varve_status vv_each_child(struct vv_object_graph *graph,
    uint32_t object, const struct vv_child *child, void *user);

/* Returns VARVE_CORRUPT with a message about the node of an object. */
varve_status vv_object_fail(
    const struct vv_object_graph *graph, uint32_t object, const char *problem);

/* The fields of an object. */
struct vv_wire vv_object_wire(
    const struct vv_object_graph *graph, uint32_t object);

/* The text in a field; the number of a node in one. */
varve_status vv_object_text(const struct vv_wire *wire,
    const struct vv_wire_field *field, const char **text, size_t *size);
varve_status vv_object_node(const struct vv_object_graph *graph,
    uint32_t object, const struct vv_wire *wire,
    const struct vv_wire_field *field, uint32_t *node);

/* Takes an attribute and finds its entry. */
varve_status vv_object_attribute(const struct vv_object_graph *graph,
    uint32_t object, struct vv_wire wire, struct vv_attribute *attribute);

/* Calls for every child of an object, until that fails. */
varve_status vv_object_children(struct vv_object_graph *graph, uint32_t object,
    vv_each_child *each, void *user);

/* How many attributes an object has, and how many children and slots; *last is
 * one of the attributes. What need not be restored does not count, so that it
 * never decides what a node is. */
varve_status vv_object_count(const struct vv_object_graph *graph,
    uint32_t object, uint32_t *attributes, uint32_t *others,
    struct vv_attribute *last);

/* Whether it is the value of a variable; whether it is Python state, the bytes
 * of a scalar string. */
bool vv_attribute_is_variable(const struct vv_attribute *attribute);
bool vv_attribute_is_bytes(const struct vv_attribute *attribute);

/* What a node of its own is for an attribute that is no family. */
varve_kind vv_attribute_kind(const struct vv_attribute *attribute);

#endif
