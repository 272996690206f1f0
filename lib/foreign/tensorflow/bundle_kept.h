/* bundle_kept.h - Keeps the parts of a TensorFlow checkpoint that a graph
 * cannot contain next to its nodes (format_extras.h), so that they can be
 * written again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_KEPT_H
#define VV_BUNDLE_KEPT_H

#include <varve/tensor.h>

#include "bundle_entry.h"
#include "target.h"

/* The role of a node in the file. */
enum vv_bundle_role {
    VV_ROLE_OBJECT = 0,    /* an object, which may have a value */
    VV_ROLE_ATTRIBUTE = 1, /* an attribute of its parent */
    VV_ROLE_MEMBER = 2,    /* one of several tensors of an attribute */
    VV_ROLE_ENTRY = 3,     /* an entry that no object names */
};

/* The strings are borrowed. */
struct vv_bundle_kept {
    enum vv_bundle_role role;
    const unsigned char *record; /* the SerializedTensor of the attribute to
                                    which the node belongs, or NULL */
    size_t record_size;
    const char *name; /* of the attribute; the name, full name and key are
                         parsed from the record */
    size_t name_size;
    const char *full_name;
    size_t full_name_size;
    const char *key;
    size_t key_size;
    const char *entry; /* the value's key, if not the record's */
    size_t entry_size;
    uint32_t members;   /* number of tensors of the attribute */
    uint32_t number;    /* TensorFlow's number of a type that has no equal in
                           Varve, or 0 */
    varve_tensor shape; /* the shape of a value of such a type */
    const unsigned char *rest; /* other fields of the object, as in the file */
    size_t rest_size;
};

/* Sets the fields for the type of an entry, if it is not one of Varve's types.
 */
void vv_bundle_keep_type(const struct vv_bundle *bundle,
    const struct vv_bundle_entry *entry, struct vv_bundle_kept *kept);

/* Keeps information about a node in a draft. The name and keys of a record need
 * not be set. */
void vv_bundle_keep(
    struct vv_draft *draft, uint32_t node, const struct vv_bundle_kept *kept);

/* Sets `kept` to the information about a node. Returns false if there is none.
 */
bool vv_bundle_kept_of(
    const struct vv_target *target, uint32_t node, struct vv_bundle_kept *kept);

/* Appends the record with another full name and key. */
void vv_bundle_kept_record(const struct vv_bundle_kept *kept,
    const struct vv_buffer *full_name, const struct vv_buffer *key,
    struct vv_buffer *to);

#endif
