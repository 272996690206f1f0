/* permutation.h - an order of the numbers below n, one number at a time and
 * without memory.
 *
 * A number x below rows * columns is taken as (x / columns, x % columns). Eight
 * rounds, or 24 where n is below 65536, move by turns the row by a random
 * amount that depends on the column, and the column by one that depends on the
 * row, each modulo its range: every round can be undone, so all are a
 * permutation. Philox makes the amounts. As
 * rows * columns may be more than n, a result of n or more is sent through
 * again until it is below: that ends, as the way leads in a circle through x
 * itself (J. Black and P. Rogaway, "Ciphers with arbitrary finite domains",
 * 2002). With rows the root of n, that is hardly ever.
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

/* The permutation of the numbers below `count` that belongs to a key. */
struct vv_permutation vv_permutation_of(const uint64_t key[2], uint64_t count);

/* Where the permutation takes a number below its count. */
uint64_t vv_permutation_at(const struct vv_permutation *p, uint64_t x);

#endif
