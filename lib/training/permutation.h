/* permutation.h - Computes a random permutation of the numbers below n, one
 * number at a time and without memory.
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
 * 2002). With rows close to the square root of n, it is rarely needed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PERMUTATION_H
#define VV_PERMUTATION_H

#include <stdint.h>

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
