/* onnx_values.h - tensors of a model as values of a draft: in the file, in
 * files beside it, or made when they are asked for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ONNX_VALUES_H
#define VV_ONNX_VALUES_H

#include "arena.h"
#include "draft.h"
#include "map.h"
#include "onnx_items.h"
#include "onnx_tensor.h"

/* A value that is made. */
struct vv_onnx_made {
    struct vv_onnx_items items;
    uint64_t count;
};

struct vv_onnx_values {
    /* to fill in */
    struct vv_buffer path; /* what the names of values begin with */
    /* to read */
    struct vv_draft *draft;
    struct vv_wire_file file;
    struct vv_buffer text; /* free to use between calls */
    /* own */
    struct vv_foreign *foreign;
    struct vv_buffer location;
    struct vv_arena arena;
    struct vv_map files; /* beside the model, by name */
    uint64_t names;      /* bytes of names that were made so far */
};

/* Makes `foreign` one that has such values. To be cleared, after a failure too.
 */
varve_status vv_onnx_values_init(struct vv_onnx_values *values,
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error);
void vv_onnx_values_clear(struct vv_onnx_values *values);

/* The value of a TensorProto. It is called `path`, and `is_named` puts its own
 * name behind that. */
varve_status vv_onnx_values_add(
    struct vv_onnx_values *values, struct vv_wire_part message, bool is_named);

/* The parts of a SparseTensorProto: `values`, `indices` and `dims` below that
 * name, which is that of its values. */
varve_status vv_onnx_values_add_sparse(
    struct vv_onnx_values *values, struct vv_wire_part message, bool is_named);

#endif
