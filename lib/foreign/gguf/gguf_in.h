/* gguf_in.h - GGUF files (ggml, llama.cpp) as a checkpoint: metadata, what each
 * tensor is called and where it lies, padding, the tensors.
 *
 * Versions 2 and 3 of docs/gguf.md of github.com/ggml-org/ggml, little-endian.
 * A name is one edge from the root, as it is: its dots (`blk.0.attn_q.weight`)
 * are part of it. Dimensions, which stand innermost first in the file, are
 * turned around. A tensor of a quantised type is a state, the bytes of its
 * blocks, with the type as its tag ("gguf:Q4_K"). Metadata of up to 256 MiB and
 * what such tensors are is kept, to be written again (gguf_kept.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GGUF_IN_H
#define VV_GGUF_IN_H

#include "foreign_format.h"

extern const struct vv_foreign_format vv_gguf_format;

#endif
