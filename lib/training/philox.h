/* philox.h - Philox4x64-10: computes four random words from a key and a
 * counter.
 *
 * J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011. The numbers are equal to those of
 * Random123 and of numpy.random.Philox.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PHILOX_H
#define VV_PHILOX_H

#include <stddef.h>
#include <stdint.h>

/* Replaces a counter by its four words. */
void vv_philox(const uint64_t key[2], uint64_t counter[4]);

/* Computes four words for each of `count` consecutive counters. The first
 * counter is { first, 0, 0, 0 }; the lowest word increases by one, modulo
 * 2^64. */
void vv_philox_fill(
    const uint64_t key[2], uint64_t first, size_t count, uint64_t *words);

/* Returns the upper half of a product, and sets *low to the lower half. */
static inline uint64_t vv_multiply(uint64_t a, uint64_t b, uint64_t *low)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32;
    uint64_t b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t other = a0 * b1 + (middle & UINT32_MAX);
    *low = a * b;
    return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
}

#endif
