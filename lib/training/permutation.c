/* permutation.c - A Feistel network over any range, with cycle walking.
 *
 * SPDX-License-Identifier: MIT
 */
#include "permutation.h"

#include "philox.h"

/* Fewer numbers need more rounds for the same quality. */
enum { ROUNDS = 8, FEW_ROUNDS = 24, FEW = 65536 };

static uint64_t root_up(uint64_t n)
{
    uint64_t low = 0, high = UINT64_C(1) << 32; /* low^2 < n <= high^2 */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (middle * middle < n)
            low = middle;
        else
            high = middle;
    }
    return high;
}

struct vv_permutation vv_permutation_of(const uint64_t key[2], uint64_t count)
{
    struct vv_permutation p = { { key[0], key[1] }, count, 1, 1 };
    if (count > 1) {
        p.rows = root_up(count);
        p.columns = (count - 1) / p.rows + 1;
    }
    return p;
}

/* Returns a number below `limit` that depends on the round and the other
 * half. */
static uint64_t amount(const struct vv_permutation *p, uint64_t round,
    uint64_t other, uint64_t limit)
{
    uint64_t words[4] = { other, round, 0, 1 };
    uint64_t low;
    vv_philox(p->key, words);
    return vv_multiply(words[0], limit, &low);
}

uint64_t vv_permutation_at(const struct vv_permutation *p, uint64_t x)
{
    uint64_t rounds = p->count < FEW ? FEW_ROUNDS : ROUNDS;
    do {
        uint64_t row = x / p->columns, column = x % p->columns;
        for (uint64_t round = 0; round < rounds; round += 2) {
            row = (row + amount(p, round, column, p->rows)) % p->rows;
            column =
                (column + amount(p, round + 1, row, p->columns)) % p->columns;
        }
        x = row * p->columns + column;
    } while (x >= p->count);
    return x;
}
