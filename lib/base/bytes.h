/* bytes.h - Loads and stores little-endian numbers at any address.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BYTES_H
#define VV_BYTES_H

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define VV_BIG_ENDIAN 1
#else
#define VV_BIG_ENDIAN 0
#endif

static inline uint32_t vv_order32(uint32_t v)
{
    return VV_BIG_ENDIAN ? __builtin_bswap32(v) : v;
}

static inline uint64_t vv_order64(uint64_t v)
{
    return VV_BIG_ENDIAN ? __builtin_bswap64(v) : v;
}

static inline uint32_t vv_load32(const void *at)
{
    uint32_t v;
    memcpy(&v, at, sizeof v);
    return vv_order32(v);
}

static inline uint64_t vv_load64(const void *at)
{
    uint64_t v;
    memcpy(&v, at, sizeof v);
    return vv_order64(v);
}

static inline void vv_store32(void *at, uint32_t v)
{
    v = vv_order32(v);
    memcpy(at, &v, sizeof v);
}

static inline void vv_store64(void *at, uint64_t v)
{
    v = vv_order64(v);
    memcpy(at, &v, sizeof v);
}

/* Convert between a double and its bit representation. */
static inline uint64_t vv_bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static inline double vv_real_of(uint64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

/* Rounds up to a multiple of a power of two. The sum must not overflow. */
static inline uint64_t vv_align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

#endif
