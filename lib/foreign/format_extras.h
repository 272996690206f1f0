/* format_extras.h - what a format says of nodes beyond what a graph can hold,
 * as bytes of its own, so that a graph made from a file can be written in that
 * format again without loss.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_KEPT_H
#define VV_KEPT_H

#include <varve/format.h>

#include "buffer.h"

struct vv_kept {
    /* to fill in */
    varve_format format; /* that of the file */
    /* to read */
    struct vv_buffer items; /* struct vv_kept_item */
    struct vv_buffer bytes; /* of all */
};

struct vv_kept_item {
    uint32_t node;
    uint32_t size;
    uint64_t at;
};

void vv_kept_init(struct vv_kept *kept, const varve_allocator *allocator);
void vv_kept_clear(struct vv_kept *kept);

/* Of each node once, before they are numbered. */
void vv_kept_add(
    struct vv_kept *kept, uint32_t node, const void *bytes, size_t size);

/* Node i becomes numbers[i]; VV_NONE: what is kept of it is dropped. */
void vv_kept_number(struct vv_kept *kept, const uint32_t *numbers);

/* Once they are numbered: what is kept of a node, or NULL. */
const unsigned char *vv_kept_find(
    const struct vv_kept *kept, uint32_t node, size_t *size);

/* Hands everything over to memory of an allocator that is the same but may live
 * longer. */
void vv_kept_move(
    struct vv_kept *to, struct vv_kept *from, const varve_allocator *allocator);

/* Whether it is for files of this format: both of NumPy say the same. */
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
