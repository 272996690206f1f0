/* bundle_kept.h - what of a TensorFlow checkpoint a graph of ours has no place
 * for: kept beside its nodes (format_extras.h) and written again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_KEPT_H
#define VV_BUNDLE_KEPT_H

#include <varve/tensor.h>

#include "bundle_entry.h"
#include "target.h"

/* What a node was. */
enum vv_bundle_role {
    VV_ROLE_OBJECT = 0,    /* an object, which may be a value */
    VV_ROLE_ATTRIBUTE = 1, /* an attribute of the object to which it hangs */
    VV_ROLE_MEMBER = 2,    /* one of the tensors of such */
    VV_ROLE_ENTRY = 3,     /* an entry that no object names */
};

/* Texts are borrowed. */
struct vv_bundle_kept {
    enum vv_bundle_role role;
    const unsigned char *record; /* its attribute, or the one it is a part of:
                                    a SerializedTensor; NULL: none */
    size_t record_size;
    const char *name; /* of the attribute; these three are of the record */
    size_t name_size;
    const char *full_name;
    size_t full_name_size;
    const char *key;
    size_t key_size;
    const char *entry; /* the key of the value, where it is not that of the
                          record */
    size_t entry_size;
    uint32_t members;   /* how many tensors the attribute has */
    uint32_t number;    /* TensorFlow's of a type that is not one of ours; 0 */
    varve_tensor shape; /* of those: extents */
    const unsigned char *rest; /* further fields of the object, as they stand */
    size_t rest_size;
};

/* Sets what is kept of the type of an entry, if it is none of ours. */
void vv_bundle_keep_type(const struct vv_bundle *bundle,
    const struct vv_bundle_entry *entry, struct vv_bundle_kept *kept);

/* Tells a draft what is kept of a node; `kept` needs no name and keys of a
 * record. */
void vv_bundle_keep(
    struct vv_draft *draft, uint32_t node, const struct vv_bundle_kept *kept);

/* What was kept of a node; false: nothing. */
bool vv_bundle_kept_of(
    const struct vv_target *target, uint32_t node, struct vv_bundle_kept *kept);

/* Adds the record with another full name and key. */
void vv_bundle_kept_record(const struct vv_bundle_kept *kept,
    const struct vv_buffer *full_name, const struct vv_buffer *key,
    struct vv_buffer *to);

#endif
