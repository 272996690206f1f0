/* dtype.h - The table of element types.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DTYPE_H
#define VV_DTYPE_H

#include <varve/tensor.h>

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

#endif
