/* dtype.h - the one table of element types.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DTYPE_H
#define VV_DTYPE_H

#include <varve/tensor.h>

enum vv_family {
    VV_FAMILY_BOOL = 1,
    VV_FAMILY_INTEGER = 2,
    VV_FAMILY_REAL = 3, /* complex numbers too: two parts, each a real */
    VV_FAMILY_STRING = 4
};

/* What an element is made of and which numbers it can hold: magnitudes of
 * `digits` binary digits, the last of which is worth at least 2^lowest and the
 * first at most 2^highest. (The largest magnitude of a signed integer, which
 * only a negative one reaches, is a power of two: hence one digit less than
 * bits.) */
struct vv_dtype {
    /* to read */
    const char *name;
    enum vv_family family;
    uint8_t size;      /* bytes in memory */
    uint8_t part_size; /* bytes of a part: half of a complex number, else the
                          same as size; 0 for strings */
    uint8_t digits;
    int16_t lowest;
    int16_t highest;
    bool negative; /* there are negative numbers */
    bool infinite; /* there are infinities */
};

/* NULL for a number that is no element type. */
const struct vv_dtype *vv_dtype_of(varve_dtype dtype);

bool vv_dtype_is_valid(unsigned number);

/* Bytes of an element in a file; 0 for strings, whose size varies, and for
 * numbers that are no element type. */
size_t vv_dtype_file_size(varve_dtype dtype);

/* Turns `count` elements from the host's byte order to little-endian or back,
 * from `from` to `to` (which may be the same). A copy on little-endian hosts.
 * Not for strings. */
void vv_dtype_swap_copy(
    varve_dtype dtype, void *to, const void *from, uint64_t count);

/* The same, reversing bytes whatever the host: what vv_dtype_swap_copy does on
 * a big-endian one. */
void vv_dtype_reverse_copy(
    varve_dtype dtype, void *to, const void *from, uint64_t count);

#endif
