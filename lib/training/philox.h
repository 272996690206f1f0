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

/* --- Random words --------------------------------------------------------- */

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

/* --- Permutations --------------------------------------------------------- */

/* Computes a random permutation of the numbers below n, one number at a time
 * and without memory.
 *
 * A number x below rows * columns is treated as the pair (x / columns, x %
 * columns). Eight rounds, or 24 if n is below 65536, alternately shift the row
 * by a random amount that depends on the column, and the column by one that
 * depends on the row, each modulo its range. Every round is invertible, so the
 * result is a permutation. Philox produces the amounts.
 *
 * Because rows * columns can exceed n, a result of n or more is permuted again
 * until it is below n. This ends, because repeated application leads back to x
 * itself (J. Black and P. Rogaway, "Ciphers with arbitrary finite domains",
 * 2002). With rows close to the square root of n, it is rarely needed. */

struct vv_permutation {
    uint64_t key[2];
    uint64_t count;
    uint64_t rows;
    uint64_t columns;
};

/* Returns the permutation of the numbers below `count` for a key. */
struct vv_permutation vv_permutation_of(const uint64_t key[2], uint64_t count);

/* Returns the image of a number below the count. */
uint64_t vv_permutation_at(const struct vv_permutation *p, uint64_t x);

#endif
