/* bounded.h - memory that a hostile file may cost, and not a byte more.
 *
 * What counts is what the library holds at a time, as it asked for it. The
 * bound is FUZZ_FACTOR times the file and FUZZ_CONSTANT, and what the caller
 * asked for by name on top of it: the target raises the bound before it asks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_BOUNDED_H
#define FUZZ_BOUNDED_H

#include <stdint.h>

#include <varve/allocator.h>

#include "index.h"

enum { FUZZ_FACTOR = 16, FUZZ_CONSTANT = 64 * 1024 };

struct bounded {
    size_t used;
    size_t peak;
    size_t bound;
    long blocks;
    bool is_free; /* what comes is the program's own; it counts on top */
};

/* For a file of so many bytes. */
struct bounded bounded_by(size_t file_size);

/* What files of these formats may cost beside that, in times their size: two
 * bytes of a pickle of torch.save are an object, its name and its place; a few
 * bytes of a model of ONNX a node with a tensor, its name and its place; a byte
 * of Flax an object in a list, its name and its place. */
enum {
    FUZZ_TORCH_FACTOR = 512,
    FUZZ_ONNX_FACTOR = 96,
    FUZZ_FLAX_FACTOR = 512
};

/* For a file that may be of any format, as its first bytes say. */
struct bounded bounded_for(const uint8_t *bytes, size_t size);

varve_allocator bounded_allocator(struct bounded *bounded);

/* The caller asks for so many bytes. */
void bounded_raise(struct bounded *bounded, size_t size);

/* What reading values that do not lie in the file as they are may take besides:
 * a frame, its planes, what comes out of it, and the chunk that it is for, each
 * as large as the index says and a chunk at most. */
size_t bounded_unpacking(const struct vv_index *index);

/* Everything was given back. */
void bounded_check_empty(const struct bounded *bounded);

#endif
