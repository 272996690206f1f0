/* gguf_out.h - a graph as a file of GGUF, version 3: metadata, tensors by
 * name in the order of the graph, each at a multiple of 32 bytes.
 *
 * What was read of such a file goes back as it was: its metadata with their
 * types and arrays, unless the metadata that are given say something else, and
 * quantised tensors, block by block. VARVE_LIMIT for a name or a shape that
 * ggml does not take.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GGUF_OUT_H
#define VV_GGUF_OUT_H

#include "target.h"

extern const struct vv_target_format vv_gguf_target;

#endif
