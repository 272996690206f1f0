/* gguf_in.h - Reads GGUF files (ggml, llama.cpp) as a checkpoint: metadata,
 * names and offsets of tensors, padding, and the data of the tensors.
 *
 * Supports versions 2 and 3 of docs/gguf.md of github.com/ggml-org/ggml,
 * little-endian. A name is a single edge from the root; it can contain dots
 * (`blk.0.attn_q.weight`). The file stores the innermost dimension first, so
 * dimensions are reversed. A tensor of a quantised type is a state that
 * contains its blocks and has the type as a tag ("gguf:Q4_K"). Metadata of up
 * to 48 MiB and the types and shapes of such tensors are kept, so that they can
 * be written again (gguf_kept.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GGUF_IN_H
#define VV_GGUF_IN_H

#include "foreign_format.h"

extern const struct vv_foreign_format vv_gguf_format;

#endif
