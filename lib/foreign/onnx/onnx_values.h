/* onnx_values.h - Adds the tensors of a model to a draft: they are in the file,
 * in files beside it, or decoded when they are read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ONNX_VALUES_H
#define VV_ONNX_VALUES_H

#include "allocator.h"
#include "draft.h"
#include "hash_table.h"
#include "onnx_tensor.h"

/* A value that is decoded. */
struct vv_onnx_made {
    struct vv_onnx_items items;
    uint64_t count;
};

struct vv_onnx_values {
    /* to fill in */
    struct vv_buffer path; /* prefix of the names of values */
    /* to read */
    struct vv_draft *draft;
    struct vv_wire_file file;
    struct vv_buffer text; /* temporary; may be changed between calls */
    /* own */
    struct vv_foreign *foreign;
    struct vv_buffer location;
    struct vv_arena arena;
    struct vv_map files; /* files beside the model, by name */
    uint64_t names;      /* total size of names so far */
};

/* Initializes `values`, and sets the decoder of `foreign`. Call
 * vv_onnx_values_clear afterwards, also after a failure. */
varve_status vv_onnx_values_init(struct vv_onnx_values *values,
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error);
void vv_onnx_values_clear(struct vv_onnx_values *values);

/* Adds the value of a TensorProto. Its name is `path`, followed by its own name
 * if `is_named`. */
varve_status vv_onnx_values_add(
    struct vv_onnx_values *values, struct vv_wire_part message, bool is_named);

/* Adds the parts of a SparseTensorProto: `values`, `indices` and `dims` below
 * its name, which is that of the values. */
varve_status vv_onnx_values_add_sparse(
    struct vv_onnx_values *values, struct vv_wire_part message, bool is_named);

#endif
