/* onnx_tensor.h - Reads and validates a TensorProto, and locates its elements.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ONNX_TENSOR_H
#define VV_ONNX_TENSOR_H

#include <varve/tensor.h>

#include "wire.h"

/* --- Element types -------------------------------------------------------- */

/* Lists the element types of ONNX (TensorProto.DataType in onnx.proto of
 * github.com/onnx/onnx) and the fields that contain them. */

struct vv_onnx_type {
    varve_dtype dtype;   /* 0 if Varve does not have the type */
    unsigned char bits;  /* of an element, packed; 0: strings */
    unsigned char unit;  /* bits of an item of its field; an item contains
                            several elements of 2 or 4 bits, or half of a
                            complex number */
    unsigned char field; /* enum onnx_field */
    const char *tag;     /* such as "onnx:INT4" */
};

/* Returns a type by its number, or NULL if the number is unknown. */
const struct vv_onnx_type *vv_onnx_type_of(uint64_t number);

/* Sets *size to the size of `count` elements. Returns false if it does not fit
 * in 64 bits. */
bool vv_onnx_type_size(
    const struct vv_onnx_type *type, uint64_t count, uint64_t *size);

/* Returns the number of items in its field for `count` elements of `size` bytes
 * in total. */
uint64_t vv_onnx_type_items(
    const struct vv_onnx_type *type, uint64_t count, uint64_t size);

/* --- Items ---------------------------------------------------------------- */

/* Reads elements that are stored as items of a field of a message, packed or
 * not, possibly in several parts. */

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

/* --- Tensors -------------------------------------------------------------- */

enum vv_onnx_storage {
    VV_ONNX_HERE,   /* as in a Varve file, at `data` */
    VV_ONNX_ITEMS,  /* as items of their field */
    VV_ONNX_OUTSIDE /* in another file */
};

struct vv_onnx_tensor {
    /* to read */
    const struct vv_onnx_type *type;
    varve_tensor shape; /* its dtype is 0 if Varve does not have the type */
    uint64_t count;     /* number of elements */
    uint64_t size;      /* their size in a Varve file */
    enum vv_onnx_storage storage;
    struct vv_wire_part message;
    struct vv_wire_part name;
    struct vv_wire_part data;
    uint64_t offset, length; /* in another file */
    bool has_length;
};

/* Reads a tensor. Sets `location` to the name of the other file, if there is
 * one. */
varve_status vv_onnx_tensor_read(struct vv_wire_file *file,
    struct vv_wire_part message, struct vv_buffer *location,
    struct vv_onnx_tensor *tensor);

#endif
