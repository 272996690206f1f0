/* number.h - one exact form for the numbers of all types.
 *
 * All of it is integer arithmetic. So neither the rounding mode nor a program
 * that has denormals flushed to zero changes a value.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NUMBER_H
#define VV_NUMBER_H

#include "dtype.h"

enum vv_number_state { VV_FINITE, VV_INFINITE, VV_NOT_A_NUMBER };

/* magnitude * 2^exponent, or its negative; the number of one part. */
struct vv_number {
    uint64_t magnitude;
    int exponent;
    enum vv_number_state state;
    bool negative; /* of zero and NaN too */
};

static inline bool vv_number_is_zero(struct vv_number n)
{
    return n.state == VV_FINITE && n.magnitude == 0;
}

/* Whether float64 has an integer exactly. */
static inline bool vv_number_is_real(int64_t integer)
{
    uint64_t size = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
    while (size >> 53 && !(size & 1))
        size >>= 1;
    return size >> 53 == 0;
}

/* From the bits of a part of an element; not of a string. */
struct vv_number vv_number_decode(const struct vv_dtype *type, uint64_t bits);

/* The bits of the nearest number that the type has (convert.h says which that
 * is), in as many of the low bits as a part has; those above are undefined.
 * Clears `exact` where it is another number. */
uint64_t vv_number_encode(
    const struct vv_dtype *type, struct vv_number n, bool *exact);

#endif
