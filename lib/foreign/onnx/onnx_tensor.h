/* onnx_tensor.h - Reads and validates a TensorProto, and locates its elements.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ONNX_TENSOR_H
#define VV_ONNX_TENSOR_H

#include "onnx_type.h"
#include "wire_file.h"

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
