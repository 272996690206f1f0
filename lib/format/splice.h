/* splice.h - Combines graphs into the columns of one index: each further graph
 * is attached below a node of the first. Numbered as in files (docs/format.md).
 *
 * The names, nodes, slots and values of each part keep their order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SPLICE_H
#define VV_SPLICE_H

#include <varve/error.h>

#include "index_out.h"

struct vv_splice_part {
    /* to fill in */
    /* a graph that obeys all rules; its columns from digests to pieces are not
     * used */
    struct vv_index index;
    /* the node of the first part that gets its root as a child, and has no
     * edges itself; ignored for the first part */
    uint32_t at;
    uint32_t number; /* name of the edge to it, in decimal */
};

/* The origin of a value. */
struct vv_spliced {
    /* to read */
    uint32_t part;
    uint32_t value; /* its number in that part */
};

struct vv_splice {
    /* to fill in */
    /* the first one is the graph to which the others are attached */
    const struct vv_splice_part *parts;
    size_t count;
    /* to read */
    struct vv_index_columns columns; /* without digests, layers, places and
                                        pieces */
    struct vv_buffer values;         /* struct vv_spliced, by value */
};

/* Combines the parts, which are borrowed until vv_splice_end. On failure
 * (VARVE_LIMIT, VARVE_NO_MEMORY) there is nothing to end. Only nodes of the
 * first part can have global names. */
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
