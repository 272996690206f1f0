/* onnx_graph.h - Finds the tensors of a model: those of its graph, of graphs in
 * attributes of nodes, of functions and of training information.
 *
 * Messages are nested as deep as the file determines, so they are walked with a
 * stack, whose depth is bounded by the size of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ONNX_GRAPH_H
#define VV_ONNX_GRAPH_H

#include "allocator.h"
#include "draft.h"
#include "hash_table.h"
#include "onnx_values.h"
#include "wire.h"

enum vv_onnx_message {
    VV_ONNX_GRAPH,
    VV_ONNX_FUNCTION,
    VV_ONNX_TRAINING,
    VV_ONNX_NODE,
    VV_ONNX_ATTRIBUTE,
};

/* Adds the values of a message of the model. The values of a GRAPH have their
 * own names; names of other values begin with `name`. */
varve_status vv_onnx_graph_read(struct vv_onnx_values *values,
    enum vv_onnx_message kind, struct vv_wire_part message, const char *name);

#endif
