/* philox.c - Ten rounds with two multiplications each.
 *
 * SPDX-License-Identifier: MIT
 */
#include "philox.h"

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
