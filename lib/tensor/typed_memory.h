/* typed_memory.h - Describes typed memory: element types, and the sizes of
 * shapes and views.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TYPED_MEMORY_H
#define VV_TYPED_MEMORY_H

#include <stddef.h>

#include <varve/memory.h>
#include <varve/tensor.h>

/* --- Element types -------------------------------------------------------- */

/* Element types: names, sizes and byte order. */

enum vv_family {
    VV_FAMILY_BOOL = 1,
    VV_FAMILY_INTEGER = 2,
    VV_FAMILY_REAL = 3, /* includes complex numbers: two parts, each a real */
    VV_FAMILY_STRING = 4
};

/* The parts of an element and the numbers it can represent: magnitudes of
 * `digits` binary digits. The last digit is worth at least 2^lowest, the first
 * at most 2^highest. (The largest magnitude of a signed integer is a power of
 * two that only a negative number has, so `digits` is one less than the number
 * of bits.) */
struct vv_dtype {
    /* to read */
    const char *name;
    enum vv_family family;
    uint8_t size; /* bytes of an element in memory */
    /* bytes of a part: half of a complex number, otherwise equal to `size`; 0
     * for strings */
    uint8_t part_size;
    uint8_t digits;
    int16_t lowest;
    int16_t highest;
    bool negative; /* the type has negative numbers */
    bool infinite; /* the type has infinities */
};

/* Returns NULL if the number is not an element type. */
const struct vv_dtype *vv_dtype_of(varve_dtype dtype);

bool vv_dtype_is_valid(unsigned number);

/* Returns the size of an element in a file. Returns 0 for strings, whose size
 * varies, and for numbers that are not element types. */
size_t vv_dtype_file_size(varve_dtype dtype);

/* Converts `count` elements between the host's byte order and little-endian,
 * from `from` to `to` (which can be equal). On little-endian hosts this is a
 * copy. Not for strings. */
void vv_dtype_swap_copy(
    varve_dtype dtype, void *to, const void *from, uint64_t count);

/* Like vv_dtype_swap_copy on a big-endian host: reverses bytes on every
 * host. */
void vv_dtype_reverse_copy(
    varve_dtype dtype, void *to, const void *from, uint64_t count);

/* Sets *count to the number of elements; returns false if it does not fit in 64
 * bits. If an extent is 0, the count is 0, however large the others are. */
bool vv_shape_count(uint32_t rank, const uint64_t *extents, uint64_t *count);

/* Sets *total to count * size; returns false on overflow. */
bool vv_size_of(uint64_t count, uint64_t size, uint64_t *total);

/* Returns true if the view has a known element type, a rank up to
 * VARVE_MAX_RANK, and a size in memory that fits in both 64 bits and size_t. */
bool vv_tensor_is_valid(const varve_tensor *tensor);

/* Returns the number of bytes that a tensor of a rank must have. Callers may
 * omit the unused extents at its end. */
static inline size_t vv_tensor_bytes(uint32_t rank)
{
    return offsetof(varve_tensor, shape) + rank * sizeof(uint64_t);
}

/* varve_tensor_size without a call for scalars, which are many. */
static inline uint64_t vv_tensor_size(const varve_tensor *tensor)
{
    return tensor->rank == 0 ? varve_dtype_size(tensor->dtype)
                             : varve_tensor_size(tensor);
}

/* Returns a copy of such a tensor. */
varve_tensor vv_tensor_copy(const varve_tensor *tensor);

/* An invalid rank. Marks a view of an array of rows whose extents are not those
 * of the array (varve_view_of_rows). */
#define VV_RANK_OF_OTHER_ROWS UINT32_MAX

bool vv_shape_equal(const varve_tensor *a, const varve_tensor *b);

/* Returns the current value of an extent: its number, or the integer at its
 * address. A negative integer gives an extent that is invalid for every
 * view. */
uint64_t vv_extent_now(const varve_extent *extent);

#endif
