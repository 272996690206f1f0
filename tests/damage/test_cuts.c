/* test_cuts.c - Tests truncated and extended files.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "damage/bench.h"

TEST(damage, every_truncation_is_found)
{
    struct bench b;
    bench_begin(&b, false);
    for (size_t size = 0; size < b.saved.size; size++) {
        bench_put(&b, b.saved.bytes, size);
        bench_check(&b, &b.saved, size);
        bench_read(&b, NULL, size);
    }
    cr_assert_eq(b.right, 0);
    proof_count("damage.cuts", b.tried);
    bench_end(&b, "cuts");
}

TEST(damage, every_extension_is_found)
{
    struct bench b;
    bench_begin(&b, false);
    size_t size = b.saved.size;
    unsigned char *longer = malloc(2 * size);
    memcpy(longer, b.saved.bytes, size);
    memcpy(longer + size, b.saved.bytes, size);
    size_t step = (size_t)proof_size(61, 1);
    for (size_t more = 1; more <= size; more += more < 200 ? 1 : step) {
        bench_put(&b, longer, size + more);
        bench_check(&b, &b.saved, size + more);
        bench_read(&b, NULL, size + more);
        memory_resize(b.memory, BENCH_PATH, size);
        memory_resize(b.memory, BENCH_PATH, size + more); /* zeros */
        bench_check(&b, &b.saved, size + more);
    }
    cr_assert_eq(b.right, 0);
    free(longer);
    proof_count("damage.extensions", b.tried);
    bench_end(&b, "extensions");
}

/* Removes or duplicates a piece in the middle, so the rest moves. */
TEST(damage, every_shift_is_found)
{
    struct bench b;
    bench_begin(&b, false);
    size_t size = b.saved.size;
    unsigned char *shifted = malloc(2 * size);
    uint64_t most = proof_size(4000, 200000);
    for (uint64_t i = 0; i < most; i++) {
        size_t begin = (size_t)bench_random(&b, size);
        size_t piece = 1 + (size_t)bench_random(&b, size - begin);
        size_t end = begin + piece;
        memcpy(shifted, b.saved.bytes, begin);
        memcpy(shifted + begin, b.saved.bytes + end, size - end);
        bench_put(&b, shifted, size - piece);
        bench_check(&b, &b.saved, begin);
        memcpy(shifted, b.saved.bytes, end);
        memcpy(shifted + end, b.saved.bytes + begin, size - begin);
        bench_put(&b, shifted, size + piece);
        bench_check(&b, &b.saved, begin);
    }
    free(shifted);
    proof_count("damage.shifts", b.tried);
    bench_end(&b, "shifts");
}
