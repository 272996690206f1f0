/* test_bytes.c - Tests changed bits and bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "damage/bench.h"

TEST(damage, every_flipped_bit_is_found)
{
    struct bench b;
    bench_begin(&b, false);
    bench_read(&b, NULL, 0);
    cr_assert_eq(b.right, 1);
    for (size_t i = 0; i < 8 * b.saved.size; i++) {
        bench_bytes(&b)[i / 8] ^= (unsigned char)(1 << i % 8);
        bench_check(&b, &b.saved, i / 8);
        if (i % 8 == i / 8 % 8)
            bench_read(&b, NULL, i / 8);
        bench_bytes(&b)[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    proof_count("damage.bits", b.tried);
    bench_end(&b, "flipped bits");
}

/* In the short version each position gets some values in rotation, in the long
 * version all. */
TEST(damage, every_changed_byte_is_found)
{
    struct bench b;
    bench_begin(&b, false);
    unsigned step = (unsigned)proof_size(15, 1);
    for (size_t place = 0; place < b.saved.size; place++) {
        unsigned char *byte = bench_bytes(&b) + place;
        unsigned char good = *byte;
        unsigned first = 1 + (unsigned)place % step;
        for (unsigned change = first; change < 256; change += step) {
            *byte = good ^ (unsigned char)change;
            bench_check(&b, &b.saved, place);
            if ((place + change) % 16 == 0)
                bench_read(&b, NULL, place);
        }
        *byte = good;
    }
    proof_count("damage.byte_values", b.tried);
    bench_end(&b, "other bytes");
}

TEST(damage, every_pair_of_flipped_bits_is_found)
{
    struct bench b;
    bench_begin(&b, false);
    uint64_t most = proof_size(20000, 1000000);
    for (uint64_t i = 0; i < most; i++) {
        uint64_t first = bench_random(&b, 8 * b.saved.size);
        uint64_t window = UINT64_C(1) << (3 + bench_random(&b, 13));
        uint64_t second = first + 1 + bench_random(&b, window);
        if (second >= 8 * b.saved.size)
            continue;
        bench_bytes(&b)[first / 8] ^= (unsigned char)(1 << first % 8);
        bench_bytes(&b)[second / 8] ^= (unsigned char)(1 << second % 8);
        bench_check(&b, &b.saved, (size_t)first / 8);
        if (i % 16 == 0)
            bench_read(&b, NULL, (size_t)first / 8);
        bench_repair(&b);
    }
    proof_count("damage.bit_pairs", b.tried);
    bench_end(&b, "pairs of bits");
}

TEST(damage, every_burst_is_found)
{
    struct bench b;
    bench_begin(&b, false);
    uint64_t most = proof_size(20000, 1000000);
    for (uint64_t i = 0; i < most; i++) {
        size_t size = 1 + (size_t)bench_random(&b, 64);
        size_t place = (size_t)bench_random(&b, b.saved.size - size + 1);
        for (size_t k = 0; k < size; k++)
            bench_bytes(&b)[place + k] = (unsigned char)bench_random(&b, 256);
        if (!bench_differs(&b, &b.saved))
            continue;
        bench_check(&b, &b.saved, place);
        if (i % 16 == 0)
            bench_read(&b, NULL, place);
        bench_repair(&b);
    }
    proof_count("damage.bursts", b.tried);
    bench_end(&b, "bursts");
}
