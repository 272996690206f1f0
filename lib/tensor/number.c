/* number.c - Converts between the exact representation and the bits of a type,
 * as described in the table of types.
 *
 * SPDX-License-Identifier: MIT
 */
#include "number.h"

#pragma GCC diagnostic error "-Wswitch"

/* Returns the highest bit of a part, which is the sign of a real. */
static uint64_t top_bit(const struct vv_dtype *type)
{
    return UINT64_C(1) << (8 * type->part_size - 1);
}

/* Returns the first digit of a real. It is not stored, except for subnormal
 * numbers. */
static uint64_t first_digit(const struct vv_dtype *type)
{
    return UINT64_C(1) << (type->digits - 1);
}

/* Without the sign, the bits of a real increase with its magnitude: finite
 * numbers, infinity, then NaN. Returns the last finite one. */
static uint64_t last_finite(const struct vv_dtype *type)
{
    return top_bit(type) - (type->infinite ? first_digit(type) : 1) - 1;
}

/* --- Reading ------------------------------------------------------------ */

static struct vv_number decode_integer(
    const struct vv_dtype *type, uint64_t bits)
{
    bool negative = type->negative && (bits & top_bit(type));
    if (negative)
        bits = (~bits + 1) & (top_bit(type) | (top_bit(type) - 1));
    return (struct vv_number){ .magnitude = bits, .negative = negative };
}

static struct vv_number decode_real(const struct vv_dtype *type, uint64_t bits)
{
    struct vv_number n = { .negative = bits & top_bit(type) };
    bits &= top_bit(type) - 1;
    if (bits > last_finite(type)) {
        bool infinite = type->infinite && bits == last_finite(type) + 1;
        n.state = infinite ? VV_INFINITE : VV_NOT_A_NUMBER;
        return n;
    }
    int step = (int)(bits >> (type->digits - 1));
    n.magnitude = bits & (first_digit(type) - 1);
    n.exponent = type->lowest;
    if (step > 0) {
        n.magnitude |= first_digit(type);
        n.exponent += step - 1;
    }
    return n;
}

struct vv_number vv_number_decode(const struct vv_dtype *type, uint64_t bits)
{
    switch (type->family) {
    case VV_FAMILY_BOOL: return (struct vv_number){ .magnitude = bits != 0 };
    case VV_FAMILY_INTEGER: return decode_integer(type, bits);
    case VV_FAMILY_REAL: return decode_real(type, bits);
    case VV_FAMILY_STRING: break;
    }
    return (struct vv_number){ .state = VV_NOT_A_NUMBER };
}

/* --- Writing: gives the bits, and clears `exact` where the value changed -- */

static uint64_t encode_bool(struct vv_number n, bool *exact)
{
    bool is_one = n.state == VV_FINITE && !n.negative && n.exponent <= 0 &&
                  n.exponent > -64 && n.magnitude == UINT64_C(1) << -n.exponent;
    *exact &= is_one || vv_number_is_zero(n);
    return !vv_number_is_zero(n);
}

/* Returns the integer part of a magnitude, at most UINT64_MAX. */
static uint64_t number_whole(struct vv_number n, bool *exact)
{
    if (n.exponent < 0) {
        int shift = -n.exponent;
        uint64_t kept = shift < 64 ? n.magnitude >> shift : 0;
        *exact &=
            n.magnitude == 0 || (shift < 64 && kept << shift == n.magnitude);
        return kept;
    }
    if (n.magnitude == 0)
        return 0;
    if (n.exponent > __builtin_clzll(n.magnitude)) {
        *exact = false;
        return UINT64_MAX;
    }
    return n.magnitude << n.exponent;
}

static uint64_t encode_integer(
    const struct vv_dtype *type, struct vv_number n, bool *exact)
{
    uint64_t limit = (top_bit(type) - 1) | (type->negative ? 0 : top_bit(type));
    if (n.negative)
        limit = type->negative ? top_bit(type) : 0;
    uint64_t value = limit;
    if (n.state == VV_FINITE)
        value = number_whole(n, exact);
    else if (n.state == VV_NOT_A_NUMBER)
        value = 0;
    if (n.state != VV_FINITE || value > limit)
        *exact = false;
    if (value > limit)
        value = limit;
    return n.negative ? ~value + 1 : value;
}

/* Returns magnitude / 2^shift, rounded to nearest, ties to even. */
static uint64_t number_rounded(uint64_t magnitude, int shift, bool *exact)
{
    if (shift <= 0)
        return magnitude << -shift;
    if (shift > 64) {
        *exact = false;
        return 0;
    }
    uint64_t kept = shift < 64 ? magnitude >> shift : 0;
    uint64_t rest = shift < 64 ? magnitude - (kept << shift) : magnitude;
    uint64_t half = UINT64_C(1) << (shift - 1);
    *exact &= rest == 0;
    return kept + (rest > half || (rest == half && (kept & 1)));
}

static uint64_t encode_real(
    const struct vv_dtype *type, struct vv_number n, bool *exact)
{
    uint64_t sign = n.negative ? top_bit(type) : 0;
    if (vv_number_is_zero(n))
        return sign;
    if (n.state == VV_NOT_A_NUMBER)
        return sign |
               (type->infinite ? last_finite(type) + 1 + first_digit(type) / 2
                               : top_bit(type) - 1);
    uint64_t bits = UINT64_MAX;
    if (n.state == VV_FINITE) {
        int last = n.exponent + 64 - __builtin_clzll(n.magnitude) -
                   type->digits; /* exponent of its last digit */
        if (last < type->lowest)
            last = type->lowest;
        /* If rounding carries into another digit, or the first digit is
         * present, this sum increments the exponent correctly. */
        bits = number_rounded(n.magnitude, last - n.exponent, exact);
        bits += (uint64_t)(last - type->lowest) << (type->digits - 1);
    }
    if (bits > last_finite(type)) {
        *exact &= n.state == VV_INFINITE && type->infinite;
        bits = last_finite(type) + type->infinite;
    }
    return sign | bits;
}

uint64_t vv_number_encode(
    const struct vv_dtype *type, struct vv_number n, bool *exact)
{
    switch (type->family) {
    case VV_FAMILY_BOOL: return encode_bool(n, exact);
    case VV_FAMILY_INTEGER: return encode_integer(type, n, exact);
    case VV_FAMILY_REAL: return encode_real(type, n, exact);
    case VV_FAMILY_STRING: break;
    }
    *exact = false;
    return 0;
}
