/* onnx_items.h - Reads elements that are stored as items of a field of a
 * message, packed or not, possibly in several parts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ONNX_ITEMS_H
#define VV_ONNX_ITEMS_H

#include "wire_file.h"

struct vv_onnx_items {
    /* to fill in */
    struct vv_wire_part message;
    uint32_t field;
    uint32_t unit; /* bits of an item; 0: strings; 1: a bool, in 8 bits */
};

/* Sets *count to the number of items, and *bytes to the total size of
 * strings. */
varve_status vv_onnx_items_count(struct vv_wire_file *file,
    const struct vv_onnx_items *items, uint64_t *count, uint64_t *bytes);

/* Stores the items as in a Varve file: `size` bytes of `count` strings, or of
 * numbers. Returns VARVE_CORRUPT if the items differ from those counted. */
varve_status vv_onnx_items_make(struct vv_wire_file *file,
    const struct vv_onnx_items *items, uint64_t count, unsigned char *bytes,
    size_t size);

#endif
