/* onnx_graph.h - the tensors of a model: those of its graph, of the graphs in
 * attributes of its nodes, of its functions and of what it is trained by.
 *
 * What is in what is said by the file; so it is walked with a stack, which is
 * as deep as bytes of the file can make it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ONNX_GRAPH_H
#define VV_ONNX_GRAPH_H

#include "arena.h"
#include "draft.h"
#include "map.h"
#include "onnx_values.h"
#include "wire_file.h"

enum vv_onnx_message {
    VV_ONNX_GRAPH,
    VV_ONNX_FUNCTION,
    VV_ONNX_TRAINING,
    VV_ONNX_NODE,
    VV_ONNX_ATTRIBUTE,
};

/* Adds the values of a message of the model. Those of a GRAPH have their own
 * names, those of another message begin with `name`. */
varve_status vv_onnx_graph_read(struct vv_onnx_values *values,
    enum vv_onnx_message kind, struct vv_wire_part message, const char *name);

#endif
