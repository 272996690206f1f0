/* bundle_entry.h - the entries of a TensorFlow index in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_ENTRY_H
#define VV_BUNDLE_ENTRY_H

#include "arena.h"
#include "draft.h"
#include "foreign.h"

/* One tensor, whole or in slices; or one slice. */
struct vv_bundle_entry {
    const char *key; /* NUL behind it; may have NULs in it */
    uint32_t key_size;
    uint32_t number;   /* TensorFlow's, of the element type */
    varve_dtype dtype; /* ours; 0: none */
    uint32_t rank;
    uint32_t slice_count; /* 0: it is whole */
    uint32_t first_slice; /* among all of the bundle */
    uint32_t sum;         /* masked */
    uint32_t shard;
    uint32_t file;         /* of the shard, once it is open */
    bool is_added;         /* the draft has it */
    uint64_t first_extent; /* among all of the bundle */
    uint64_t first_pair;   /* likewise: start and length in each dimension of
                              each slice */
    uint64_t count;        /* elements */
    uint64_t offset;
    uint64_t size;
    uint64_t strings_size; /* of strings: in a file of ours */
};

struct vv_bundle {
    const struct vv_context *context;
    const char *path; /* of the index */
    bool is_big_endian;
    uint64_t shard_count;
    struct vv_bundle_entry *entries; /* in order of their keys */
    size_t entry_count, entry_capacity;
    uint64_t *extents;
    size_t extent_count, extent_capacity;
    uint32_t *slices; /* of each slice of a tensor, its entry */
    size_t slice_count, slice_capacity;
    struct vv_arena keys;
};

/* Parses the entries of an index: the header, every entry, and which slices a
 * tensor is made of. `index` is the whole file. */
varve_status vv_bundle_read_index(struct vv_bundle *bundle, const void *index,
    size_t size, varve_error *error);

void vv_bundle_clear(struct vv_bundle *bundle);

/* The entry of a key, or NULL. */
struct vv_bundle_entry *vv_bundle_find(
    const struct vv_bundle *bundle, const char *key, size_t size);

/* The number of the first entry whose key is `key` or comes behind it. */
size_t vv_bundle_find_from(
    const struct vv_bundle *bundle, const char *key, size_t size);

/* Whether the entry of that number, if there is one, has a longer key that
 * begins with this one, and is no path further down. */
bool vv_bundle_is_member(const struct vv_bundle *bundle, size_t number,
    const char *key, size_t size);

/* Type and shape. */
varve_tensor vv_bundle_tensor(
    const struct vv_bundle *bundle, const struct vv_bundle_entry *entry);

/* Whether it is a slice of another, and added with that. */
static inline bool vv_bundle_is_slice(const struct vv_bundle_entry *entry)
{
    return entry->key_size > 0 && entry->key[0] == '\0';
}

/* Tells the draft the value of a node, which is a state where vv_bundle_kind
 * says so. */
void vv_bundle_add(const struct vv_bundle *bundle, struct vv_draft *draft,
    uint32_t node, struct vv_bundle_entry *entry);

/* Tells the draft the only string of an entry as the bytes of a state. */
void vv_bundle_add_bytes(const struct vv_bundle *bundle, struct vv_draft *draft,
    uint32_t node, struct vv_bundle_entry *entry);

/* In the offset of a decoded place, beside the number of the entry: its only
 * string, without the length. */
#define VV_BUNDLE_ONLY_STRING (UINT64_C(1) << 63)

/* A variable, or a state for a type that we do not have. */
varve_kind vv_bundle_kind(const struct vv_bundle_entry *entry);

#endif
