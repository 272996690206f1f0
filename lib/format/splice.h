/* splice.h - graphs hung below nodes of another one, as the columns of one
 * index: numbered as a file numbers them (docs/format.md).
 *
 * In the whole the names, nodes, slots and values of each part have the order
 * that they have in it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SPLICE_H
#define VV_SPLICE_H

#include <varve/error.h>

#include "index_columns.h"

struct vv_splice_part {
    /* to fill in */
    struct vv_index index; /* a graph that obeys all rules; of its columns those
                              from digests to pieces are not looked at */
    uint32_t at;     /* the node of the first part below which its root is, that
                        has no edges there; of the first part nothing */
    uint32_t number; /* in decimal, the name of the edge to it */
};

/* Where a value comes from. */
struct vv_spliced {
    /* to read */
    uint32_t part;
    uint32_t value; /* its number there */
};

struct vv_splice {
    /* to fill in */
    const struct vv_splice_part *parts; /* the first one is the whole but for
                                           the others */
    size_t count;
    /* to read */
    struct vv_index_columns columns; /* without digests, layers, places and
                                        pieces */
    struct vv_buffer values;         /* vv_spliced, by value */
};

/* What it points to is borrowed until the end. VARVE_LIMIT, VARVE_NO_MEMORY;
 * there is nothing to end then. No node but those of the first part has a
 * global name. */
varve_status vv_splice_begin(struct vv_splice *splice,
    const varve_allocator *allocator, varve_error *error);
void vv_splice_end(struct vv_splice *splice);

static inline const struct vv_spliced *vv_spliced_values(
    const struct vv_splice *splice, size_t *count)
{
    *count = splice->values.size / sizeof(struct vv_spliced);
    return (const struct vv_spliced *)(const void *)splice->values.data;
}

#endif
