/* format_extras.h - Stores properties of nodes that a format has but a graph
 * cannot represent, as bytes that the format defines. With them a graph built
 * from a file can be written in the same format again without loss.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_KEPT_H
#define VV_KEPT_H

#include <varve/format.h>

#include "buffer.h"

struct vv_kept {
    /* to fill in */
    varve_format format; /* the format of the file */
    /* to read */
    struct vv_buffer items; /* struct vv_kept_item */
    struct vv_buffer bytes; /* the bytes of all items */
};

struct vv_kept_item {
    uint32_t node;
    uint32_t size;
    uint64_t at;
};

void vv_kept_init(struct vv_kept *kept, const varve_allocator *allocator);
void vv_kept_clear(struct vv_kept *kept);

/* Adds data of a node; at most once for each node, and before the nodes are
 * numbered. */
void vv_kept_add(
    struct vv_kept *kept, uint32_t node, const void *bytes, size_t size);

/* Renumbers the items: node i becomes numbers[i]. If that is VV_NONE, the item
 * is dropped. */
void vv_kept_number(struct vv_kept *kept, const uint32_t *numbers);

/* Returns the data of a node, or NULL if there is none. Valid after
 * vv_kept_number. */
const unsigned char *vv_kept_find(
    const struct vv_kept *kept, uint32_t node, size_t *size);

/* Moves everything to `to`, whose allocator must be equivalent but may live
 * longer. */
void vv_kept_move(
    struct vv_kept *to, struct vv_kept *from, const varve_allocator *allocator);

/* Returns true if the data applies to files of this format. npy and npz have
 * the same data. */
static inline bool vv_kept_is_for(
    const struct vv_kept *kept, varve_format format)
{
    varve_format from = kept->format;
    bool is_array = from == VARVE_FORMAT_NPY || from == VARVE_FORMAT_NPZ;
    return from == format ||
           (from == VARVE_FORMAT_TENSORFLOW &&
               format == VARVE_FORMAT_TENSORFLOW_NAMES) ||
           (is_array &&
               (format == VARVE_FORMAT_NPY || format == VARVE_FORMAT_NPZ));
}

static inline bool vv_kept_failed(const struct vv_kept *kept)
{
    return kept->items.failed || kept->bytes.failed;
}

#endif
