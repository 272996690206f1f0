/* sum.c - Combines CRCs as polynomials over GF(2), with the lowest power in the
 * highest bit.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sum.h"

#include "crc.h"

static uint32_t polynomial_of(enum vv_sum_kind kind)
{
    return kind == VV_SUM_CRC32C ? UINT32_C(0x82f63b78) : UINT32_C(0xedb88320);
}

uint32_t vv_sum(enum vv_sum_kind kind, const void *bytes, size_t size)
{
    switch (kind) {
    case VV_SUM_CRC32C: return vv_crc32c(0, bytes, size);
    case VV_SUM_CRC32: return vv_crc32(0, bytes, size);
    case VV_SUM_NONE: break;
    }
    return 0;
}

/* Returns a * b modulo the polynomial. */
static uint32_t sum_multiply(uint32_t polynomial, uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (; a; a <<= 1) {
        if (a >> 31)
            product ^= b;
        b = b & 1 ? b >> 1 ^ polynomial : b >> 1;
    }
    return product;
}

uint32_t vv_sum_combine(
    enum vv_sum_kind kind, uint32_t a, uint32_t b, uint64_t size)
{
    uint32_t polynomial = polynomial_of(kind);
    uint32_t power = UINT32_C(1) << 23; /* x^8: appends one byte */
    for (; size; size >>= 1) {
        if (size & 1)
            a = sum_multiply(polynomial, power, a);
        power = sum_multiply(polynomial, power, power);
    }
    return a ^ b;
}

uint32_t vv_sum_stored(enum vv_sum_kind kind, uint32_t stored)
{
    return kind == VV_SUM_CRC32C ? vv_crc32c_unmask(stored) : stored;
}

const char *vv_sum_name(enum vv_sum_kind kind)
{
    return kind == VV_SUM_CRC32C ? "CRC-32C" : "CRC-32";
}
