/* bounded.h - Limits the memory that the library may allocate for a hostile
 * file.
 *
 * The limit applies to the memory that the library holds at any one time, as
 * requested from the allocator. It is FUZZ_FACTOR times the file size, plus
 * FUZZ_CONSTANT, plus the sizes that the caller requests explicitly: the target
 * raises the limit before each such request.
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
    bool is_free; /* allocations belong to the program and are not limited */
};

/* Returns the limit for a file of `file_size` bytes. */
struct bounded bounded_by(size_t file_size);

/* Additional memory that files of these formats may need, as a multiple of
 * their size. Two bytes of a torch.save pickle can encode an object with its
 * name and location; a few bytes of an ONNX model a node with a tensor, its
 * name and its location; one byte of a Flax file a list element with its name
 * and its location. */
enum {
    FUZZ_TORCH_FACTOR = 512,
    FUZZ_ONNX_FACTOR = 96,
    FUZZ_FLAX_FACTOR = 512
};

/* Returns the limit for a file of any format. The format is detected from the
 * first bytes. */
struct bounded bounded_for(const uint8_t *bytes, size_t size);

varve_allocator bounded_allocator(struct bounded *bounded);

/* Raises the limit by `size` bytes that the caller requests. */
void bounded_raise(struct bounded *bounded, size_t size);

/* Returns the additional memory needed to read compressed values: a frame, its
 * byte planes, the decompressed output and the chunk that it belongs to, each
 * as large as the index specifies, but at most one chunk. */
size_t bounded_unpacking(const struct vv_index *index);

/* Checks that all memory was freed. */
void bounded_check_empty(const struct bounded *bounded);

#endif
