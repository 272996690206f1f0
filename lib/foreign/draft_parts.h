/* draft_parts.h - Defines the items in the buffers of a draft.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_PARTS_H
#define VV_DRAFT_PARTS_H

#include "draft.h"

struct vv_draft_node {
    /* to read */
    uint32_t kind;
    uint32_t value; /* index of the value plus 1, or 0 if there is none */
};

/* A name; it need not be terminated. */
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

/* A global name or a tag of a node, or the path of a value in a flat file. */
struct vv_draft_label {
    struct vv_draft_name name;
    uint32_t node;
    bool is_alias; /* for paths only */
};

/* Text metadata. */
struct vv_draft_pair {
    const char *name;
    const char *text;
    size_t number; /* position in the order of addition */
};

struct vv_draft_value {
    /* to read */
    uint32_t dtype;
    uint32_t rank;
    uint64_t extents; /* number of extents before those of this value */
    uint64_t size;
    struct vv_place place;
    bool is_saved;
};

/* Adds an edge without copying the name, which must be valid and live as long
 * as the draft. */
void vv_draft_lent_edge(struct vv_draft *draft, uint32_t parent,
    const char *name, size_t size, uint32_t child);

#define VV_PARTS(draft, part, type, count)                                     \
    ((type *)(void *)vv_draft_items(&(draft)->part, sizeof(type), (count)))

/* Returns the items of a buffer and sets *count to their number. */
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
