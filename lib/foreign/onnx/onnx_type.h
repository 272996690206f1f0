/* onnx_type.h - the element types of ONNX (TensorProto.DataType in onnx.proto
 * of github.com/onnx/onnx), and the fields that hold them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ONNX_TYPE_H
#define VV_ONNX_TYPE_H

#include <varve/tensor.h>

/* Fields of a TensorProto with elements; the numbers are those in the file. */
enum vv_onnx_field {
    VV_ONNX_FLOATS = 4,
    VV_ONNX_INT32S = 5,
    VV_ONNX_STRINGS = 6,
    VV_ONNX_INT64S = 7,
    VV_ONNX_DOUBLES = 10,
    VV_ONNX_UINT64S = 11
};

struct vv_onnx_type {
    varve_dtype dtype;   /* 0: we have none */
    unsigned char bits;  /* of an element, packed; 0: strings */
    unsigned char unit;  /* bits of an item of its field, which holds several
                            elements of 2 or 4 bits, and a half of a complex
                            number */
    unsigned char field; /* enum vv_onnx_field */
    const char *tag;     /* "onnx:INT4" */
};

/* NULL for a number that is no type. */
const struct vv_onnx_type *vv_onnx_type_of(uint64_t number);

/* The bytes of `count` elements; false where 64 bits do not hold them. */
bool vv_onnx_type_size(
    const struct vv_onnx_type *type, uint64_t count, uint64_t *size);

/* How many items its field has for elements of that many bytes in all. */
uint64_t vv_onnx_type_items(
    const struct vv_onnx_type *type, uint64_t count, uint64_t size);

#endif
