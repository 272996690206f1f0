/* onnx_in.h - Reads the tensors and texts of ONNX models (ModelProto in
 * onnx.proto of github.com/onnx/onnx) as a checkpoint.
 *
 * An initializer of the graph has its own name, as in a flat file, and the
 * value of a constant has the name of its output. Values of a graph in an
 * attribute of a node are below `<node>/<attribute>/`, those of a function
 * below `functions/<domain>.<name>/`. A node without a name is named
 * `<type>_<position>`. Elements of 2, 4 and 6 bits, and 8-bit types that Varve
 * does not have, are states with the type as a tag ("onnx:INT4").
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ONNX_IN_H
#define VV_ONNX_IN_H

#include "foreign_format.h"

extern const struct vv_foreign_format vv_onnx_format;

#endif
