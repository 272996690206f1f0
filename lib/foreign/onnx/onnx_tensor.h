/* onnx_tensor.h - a TensorProto: what it says of itself, checked, and where its
 * elements are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ONNX_TENSOR_H
#define VV_ONNX_TENSOR_H

#include "onnx_type.h"
#include "wire_file.h"

enum vv_onnx_storage {
    VV_ONNX_HERE,   /* as they are in a file of ours, at `data` */
    VV_ONNX_ITEMS,  /* item by item in its field */
    VV_ONNX_OUTSIDE /* in another file */
};

struct vv_onnx_tensor {
    /* to read */
    const struct vv_onnx_type *type;
    varve_tensor shape; /* its dtype is 0 where we have none */
    uint64_t count;     /* elements */
    uint64_t size;      /* bytes of them, in a file of ours */
    enum vv_onnx_storage storage;
    struct vv_wire_part message;
    struct vv_wire_part name;
    struct vv_wire_part data;
    uint64_t offset, length; /* in another file */
    bool has_length;
};

/* Reads one. `location`: the name of the other file, where it has such. */
varve_status vv_onnx_tensor_read(struct vv_wire_file *file,
    struct vv_wire_part message, struct vv_buffer *location,
    struct vv_onnx_tensor *tensor);

#endif
