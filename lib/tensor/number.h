/* number.h - An exact representation for the numbers of all types.
 *
 * It uses only integer arithmetic, so neither the rounding mode nor
 * flush-to-zero mode of the program affects a value.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NUMBER_H
#define VV_NUMBER_H

#include "typed_memory.h"

enum vv_number_state { VV_FINITE, VV_INFINITE, VV_NOT_A_NUMBER };

/* The number magnitude * 2^exponent, or its negative. A complex number consists
 * of two. */
struct vv_number {
    uint64_t magnitude;
    int exponent;
    enum vv_number_state state;
    bool negative; /* also for zero and NaN */
};

static inline bool vv_number_is_zero(struct vv_number n)
{
    return n.state == VV_FINITE && n.magnitude == 0;
}

/* Returns true if float64 represents an integer exactly. */
static inline bool vv_number_is_real(int64_t integer)
{
    uint64_t size = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
    while (size >> 53 && !(size & 1))
        size >>= 1;
    return size >> 53 == 0;
}

/* Decodes the bits of a part of an element; not for strings. */
struct vv_number vv_number_decode(const struct vv_dtype *type, uint64_t bits);

/* Returns the bits of the nearest number of the type (see convert.h), in the
 * low bits of the size of a part; higher bits are undefined. Sets *exact to
 * false if it is a different number. */
uint64_t vv_number_encode(
    const struct vv_dtype *type, struct vv_number n, bool *exact);

#endif
