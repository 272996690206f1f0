/* draft_parts.h - the parts of a draft: the items of its buffers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_PARTS_H
#define VV_DRAFT_PARTS_H

#include "draft.h"

struct vv_draft_node {
    /* to read */
    uint32_t kind;
    uint32_t value; /* plus 1; 0: none was added */
};

/* It need not be terminated. */
struct vv_draft_name {
    /* to read */
    const char *bytes;
    uint32_t size;
    uint32_t number; /* in the index */
};

struct vv_draft_edge {
    /* to read */
    struct vv_draft_name name;
    uint32_t parent;
    uint32_t child;
};

struct vv_draft_slot {
    struct vv_draft_name name;
    uint32_t owner;
    uint32_t variable;
    uint32_t node;
};

/* A global name or a tag of a node; the path of one in a flat file. */
struct vv_draft_label {
    struct vv_draft_name name;
    uint32_t node;
    bool is_alias; /* of paths */
};

/* Text metadata. */
struct vv_draft_pair {
    const char *name;
    const char *text;
    size_t number; /* in the order in which they were added */
};

struct vv_draft_value {
    /* to read */
    uint32_t dtype;
    uint32_t rank;
    uint64_t extents; /* how many of all stand before its own */
    uint64_t size;
    struct vv_place place;
    bool is_saved;
};

/* An edge whose name, a valid one, lives as long as the draft. */
void vv_draft_lent_edge(struct vv_draft *draft, uint32_t parent,
    const char *name, size_t size, uint32_t child);

#define VV_PARTS(draft, part, type, count)                                     \
    ((type *)(void *)vv_draft_items(&(draft)->part, sizeof(type), (count)))

/* The items of a buffer, and how many. */
static inline void *vv_draft_items(
    const struct vv_buffer *buffer, size_t size, size_t *count)
{
    *count = buffer->size / size;
    return buffer->data;
}

static inline struct vv_draft_node *vv_draft_node_at(
    const struct vv_draft *draft, uint32_t node)
{
    return (struct vv_draft_node *)(void *)draft->nodes.data + node;
}

static inline int vv_draft_compare(
    const struct vv_draft_name *a, const struct vv_draft_name *b)
{
    int order =
        memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

#endif
