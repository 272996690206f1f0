/* bundle_entry.h - Parses the entries of a TensorFlow index into memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_ENTRY_H
#define VV_BUNDLE_ENTRY_H

#include "allocator.h"
#include "draft.h"
#include "foreign.h"

/* A whole tensor, a tensor in slices, or a slice. */
struct vv_bundle_entry {
    const char *key; /* followed by a NUL; can contain NULs */
    uint32_t key_size;
    uint32_t number;   /* TensorFlow's number of the element type */
    varve_dtype dtype; /* 0: not supported */
    uint32_t rank;
    uint32_t slice_count; /* 0: a whole tensor */
    uint32_t first_slice; /* index in `slices` of the bundle */
    uint32_t sum;         /* masked CRC-32C */
    uint32_t shard;
    uint32_t file;         /* number of the open file of the shard */
    bool is_added;         /* in the draft, or a slice of a tensor */
    uint64_t first_extent; /* index in `extents` of the bundle */
    uint64_t first_pair; /* likewise: start and length in each dimension of each
                            slice */
    uint64_t count;      /* number of elements */
    uint64_t offset;
    uint64_t size;
    uint64_t strings_size; /* of strings: the size in the layout of Varve's own
                              format */
};

struct vv_bundle {
    const struct vv_context *context;
    const char *path; /* path of the index */
    bool is_big_endian;
    uint64_t shard_count;
    struct vv_bundle_entry *entries; /* sorted by key */
    size_t entry_count, entry_capacity;
    uint64_t *extents;
    size_t extent_count, extent_capacity;
    uint32_t *slices; /* the index of the entry of each slice */
    size_t slice_count, slice_capacity;
    struct vv_arena keys;
};

/* Parses an index, which is passed as a whole: the header, all entries, and the
 * slices of each tensor. */
varve_status vv_bundle_read_index(struct vv_bundle *bundle, const void *index,
    size_t size, varve_error *error);

void vv_bundle_clear(struct vv_bundle *bundle);

/* Returns the entry of a key, or NULL. */
struct vv_bundle_entry *vv_bundle_find(
    const struct vv_bundle *bundle, const char *key, size_t size);

/* Returns the index of the first entry whose key is not less than `key`. */
size_t vv_bundle_find_from(
    const struct vv_bundle *bundle, const char *key, size_t size);

/* Returns true if entry `number` exists and its key is longer than `key`,
 * begins with it, and has no '/' after it. */
bool vv_bundle_is_member(const struct vv_bundle *bundle, size_t number,
    const char *key, size_t size);

/* Returns the type and shape of an entry. */
varve_tensor vv_bundle_tensor(
    const struct vv_bundle *bundle, const struct vv_bundle_entry *entry);

/* Returns true if an entry is a slice, which is added with its tensor. */
static inline bool vv_bundle_is_slice(const struct vv_bundle_entry *entry)
{
    return entry->key_size > 0 && entry->key[0] == '\0';
}

/* Adds the value of a node to the draft, as a state or a variable as
 * vv_bundle_kind returns. */
void vv_bundle_add(const struct vv_bundle *bundle, struct vv_draft *draft,
    uint32_t node, struct vv_bundle_entry *entry);

/* Adds the only string of an entry to the draft as the bytes of a state. */
void vv_bundle_add_bytes(const struct vv_bundle *bundle, struct vv_draft *draft,
    uint32_t node, struct vv_bundle_entry *entry);

/* A flag in the offset of a decoded place, next to the index of the entry: the
 * value is the entry's only string, without its length. */
#define VV_BUNDLE_ONLY_STRING (UINT64_C(1) << 63)

/* Returns VARVE_VARIABLE, or VARVE_STATE if the type is not supported. */
varve_kind vv_bundle_kind(const struct vv_bundle_entry *entry);

#endif
