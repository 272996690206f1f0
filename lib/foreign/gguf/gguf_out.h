/* gguf_out.h - Writes a graph as a GGUF file, version 3: metadata, and tensors
 * by name in the order of the graph, each at a multiple of 32 bytes.
 *
 * The contents of a GGUF file that was read are written unchanged: its metadata
 * with types and arrays, unless the graph's metadata differs, and quantised
 * tensors block by block. Returns VARVE_LIMIT for a name or a shape that ggml
 * does not support.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GGUF_OUT_H
#define VV_GGUF_OUT_H

#include "target.h"

extern const struct vv_target_format vv_gguf_target;

#endif
