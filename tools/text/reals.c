/* reals.c - Converts elements with loops that compilers can vectorize.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reals.h"

#include <math.h>
#include <string.h>

static uint32_t load16(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

static uint32_t load32(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
           (uint32_t)b[3] << 24;
}

static uint64_t load64(const unsigned char *b)
{
    return (uint64_t)load32(b) | (uint64_t)load32(b + 4) << 32;
}

static float single_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Converts by way of a float32 whose exponent is corrected by a multiplication.
 * NaN and infinities, with the largest exponent, are handled separately. */
static double half_of(uint32_t bits)
{
    uint32_t sign = (bits & 0x8000) << 16;
    uint32_t rest = (bits & 0x7fff) << 13;
    uint32_t special = rest >= 0x0f800000 ? 0x7f800000 : 0;
    float small = single_of(rest) * 0x1p112f;
    uint32_t made;
    memcpy(&made, &small, sizeof made);
    return (double)single_of((special ? special | rest : made) | sign);
}

/* Converts E4M3: four bits of exponent and three of fraction, without
 * infinities. The largest exponent is an ordinary one, so the multiplication is
 * sufficient. */
static double e4m3_of(uint32_t bits)
{
    if ((bits & 0x7f) == 0x7f)
        return (double)NAN;
    return (double)(single_of((bits & 0x80) << 24 | (bits & 0x7f) << 20) *
                    0x1p120f);
}

static double magnitude(double re, double im)
{
    if (isnan(re) || isnan(im))
        return (double)NAN;
    return hypot(re, im);
}

/* Squares of float32 do not overflow or underflow in a double. */
static double small_magnitude(double re, double im)
{
    double square = re * re + im * im;
    return isfinite(square) ? sqrt(square) : magnitude(re, im);
}

bool fits_real(varve_dtype dtype)
{
    return dtype != VARVE_INT64 && dtype != VARVE_UINT64 &&
           dtype != VARVE_STRING;
}

#define EACH(expression)                                                       \
    for (size_t i = 0; i < count; i++)                                         \
    to[i] = (double)(expression)

static void wide_reals(varve_dtype dtype, const unsigned char *b, size_t count,
    double *restrict to)
{
    if (dtype == VARVE_INT32)
        EACH((int32_t)(load32(b + 4 * i)));
    else if (dtype == VARVE_UINT32)
        EACH(load32(b + 4 * i));
    else if (dtype == VARVE_FLOAT32)
        EACH(single_of(load32(b + 4 * i)));
    else if (dtype == VARVE_FLOAT64)
        EACH(double_of(load64(b + 8 * i)));
    else if (dtype == VARVE_COMPLEX64)
        EACH(small_magnitude((double)single_of(load32(b + 8 * i)),
            (double)single_of(load32(b + 8 * i + 4))));
    else
        EACH(magnitude(
            double_of(load64(b + 16 * i)), double_of(load64(b + 16 * i + 8))));
}

void reals_from(varve_dtype dtype, const unsigned char *b, size_t count,
    double *restrict to)
{
    if (dtype == VARVE_BOOL || dtype == VARVE_UINT8)
        EACH(b[i]);
    else if (dtype == VARVE_INT8)
        EACH((int8_t)b[i]);
    else if (dtype == VARVE_FLOAT8_E4M3FN)
        EACH(e4m3_of(b[i]));
    else if (dtype == VARVE_FLOAT8_E5M2)
        EACH(half_of((uint32_t)b[i] << 8));
    else if (dtype == VARVE_INT16)
        EACH((int16_t)load16(b + 2 * i));
    else if (dtype == VARVE_UINT16)
        EACH(load16(b + 2 * i));
    else if (dtype == VARVE_FLOAT16)
        EACH(half_of(load16(b + 2 * i)));
    else if (dtype == VARVE_BFLOAT16)
        EACH(single_of(load16(b + 2 * i) << 16));
    else
        wide_reals(dtype, b, count, to);
}

void keys_from(
    varve_dtype dtype, const unsigned char *bytes, size_t count, uint64_t *keys)
{
    const varve_string *strings = (const void *)bytes;
    uint64_t bias = dtype == VARVE_INT64 ? KEY_BIAS : 0;
    for (size_t i = 0; i < count; i++)
        keys[i] = dtype == VARVE_STRING ? strings[i].size
                                        : load64(bytes + 8 * i) ^ bias;
}
