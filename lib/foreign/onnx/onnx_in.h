/* onnx_in.h - ONNX models (ModelProto in onnx.proto of github.com/onnx/onnx) as
 * a checkpoint: what they have in tensors, and texts.
 *
 * An initializer of the graph is called by its name, as it is in a file of
 * names, and so is the value of a constant by what it puts out. Those of a
 * graph in an attribute of a node are below `<node>/<attribute>/`, those of a
 * function below `functions/<domain>.<name>/`. A node without a name is called
 * `<type>_<position>`. Elements of 2, 4 and 6 bits, and of 8 bits that we have
 * no type for, are states, with the type as their tag ("onnx:INT4").
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ONNX_IN_H
#define VV_ONNX_IN_H

#include "foreign_format.h"

extern const struct vv_foreign_format vv_onnx_format;

#endif
