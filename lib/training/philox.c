/* philox.c - Ten rounds with two multiplications each.
 *
 * SPDX-License-Identifier: MIT
 */
#include "philox.h"

/* --- Random words --------------------------------------------------------- */

enum { ROUNDS = 10 };

static inline void one_round(uint64_t c[4], uint64_t key0, uint64_t key1)
{
    uint64_t low0, low1;
    uint64_t high0 = vv_multiply(UINT64_C(0xd2e7470ee14c6c93), c[0], &low0);
    uint64_t high1 = vv_multiply(UINT64_C(0xca5a826395121157), c[2], &low1);
    c[0] = high1 ^ c[1] ^ key0;
    c[1] = low1;
    c[2] = high0 ^ c[3] ^ key1;
    c[3] = low0;
}

/* Increments of the key between rounds: the fractional parts of the golden
 * ratio and of the square root of 3. */
#define STEP0 UINT64_C(0x9e3779b97f4a7c15)
#define STEP1 UINT64_C(0xbb67ae8584caa73b)

void vv_philox(const uint64_t key[2], uint64_t counter[4])
{
    uint64_t key0 = key[0], key1 = key[1];
    for (int i = 0; i < ROUNDS; i++) {
        one_round(counter, key0, key1);
        key0 += STEP0;
        key1 += STEP1;
    }
}

/* Computes two counters at once, because the rounds of one depend on each
 * other. */
static void fill_two(const uint64_t key[2], uint64_t first, uint64_t *words)
{
    uint64_t key0 = key[0], key1 = key[1];
    uint64_t a[4] = { first, 0, 0, 0 };
    uint64_t b[4] = { first + 1, 0, 0, 0 };
    for (int i = 0; i < ROUNDS; i++) {
        one_round(a, key0, key1);
        one_round(b, key0, key1);
        key0 += STEP0;
        key1 += STEP1;
    }
    for (int i = 0; i < 4; i++) {
        words[i] = a[i];
        words[4 + i] = b[i];
    }
}

void vv_philox_fill(
    const uint64_t key[2], uint64_t first, size_t count, uint64_t *words)
{
    size_t done = 0;
    for (; done + 2 <= count; done += 2)
        fill_two(key, first + done, words + 4 * done);
    if (done < count) {
        uint64_t last[4] = { first + done, 0, 0, 0 };
        vv_philox(key, last);
        for (int i = 0; i < 4; i++)
            words[4 * done + (size_t)i] = last[i];
    }
}

/* --- Permutations --------------------------------------------------------- */

/* Fewer numbers need more rounds for the same quality. */
enum { PERMUTATION_ROUNDS = 8, FEW_ROUNDS = 24, FEW = 65536 };

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
    uint64_t rounds = p->count < FEW ? FEW_ROUNDS : PERMUTATION_ROUNDS;
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
