/* onnx_items.h - elements that stand item by item in a field of a message,
 * packed or not, in one piece or several.
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

/* How many there are; of strings also the bytes of all. */
varve_status vv_onnx_items_count(struct vv_wire_file *file,
    const struct vv_onnx_items *items, uint64_t *count, uint64_t *bytes);

/* Makes them as they are in a file of ours: `size` bytes of `count` strings or
 * of numbers. VARVE_CORRUPT where there are others than were counted. */
varve_status vv_onnx_items_make(struct vv_wire_file *file,
    const struct vv_onnx_items *items, uint64_t count, unsigned char *bytes,
    size_t size);

#endif
