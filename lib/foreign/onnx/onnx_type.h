/* onnx_type.h - Lists the element types of ONNX (TensorProto.DataType in
 * onnx.proto of github.com/onnx/onnx) and the fields that contain them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ONNX_TYPE_H
#define VV_ONNX_TYPE_H

#include <varve/tensor.h>

/* Fields of a TensorProto that contain elements; the numbers are those in the
 * file. */
enum vv_onnx_field {
    VV_ONNX_FLOATS = 4,
    VV_ONNX_INT32S = 5,
    VV_ONNX_STRINGS = 6,
    VV_ONNX_INT64S = 7,
    VV_ONNX_DOUBLES = 10,
    VV_ONNX_UINT64S = 11
};

struct vv_onnx_type {
    varve_dtype dtype;   /* 0 if Varve does not have the type */
    unsigned char bits;  /* of an element, packed; 0: strings */
    unsigned char unit;  /* bits of an item of its field; an item contains
                            several elements of 2 or 4 bits, or half of a
                            complex number */
    unsigned char field; /* enum vv_onnx_field */
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

#endif
