/* test_philox.c - Tests the Philox generator.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "golden/philox.h"
#include "philox.h"

/* From the file kat_vectors of Random123. */
static const struct {
    uint64_t counter[4];
    uint64_t key[2];
    uint64_t words[4];
} known[] = {
    { { 0 }, { 0 },
        { UINT64_C(0x16554d9eca36314c), UINT64_C(0xdb20fe9d672d0fdc),
            UINT64_C(0xd7e772cee186176b), UINT64_C(0x7e68b68aec7ba23b) } },
    { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX },
        { UINT64_MAX, UINT64_MAX },
        { UINT64_C(0x87b092c3013fe90b), UINT64_C(0x438c3c67be8d0224),
            UINT64_C(0x9cc7d7c69cd777b6), UINT64_C(0xa09caebf594f0ba0) } },
    { { UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344),
          UINT64_C(0xa4093822299f31d0), UINT64_C(0x082efa98ec4e6c89) },
        { UINT64_C(0x452821e638d01377), UINT64_C(0xbe5466cf34e90c6c) },
        { UINT64_C(0xa528f45403e61d95), UINT64_C(0x38c72dbd566e9788),
            UINT64_C(0xa5a1610e72fd18b5), UINT64_C(0x57bd43b5e52b7fe6) } },
};

TEST(philox, gives_the_known_answers_of_random123)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t counter[4];
        memcpy(counter, known[i].counter, sizeof counter);
        vv_philox(known[i].key, counter);
        cr_assert_arr_eq(counter, known[i].words, sizeof counter);
    }
}

TEST(philox, fills_as_many_words_as_it_says_and_no_more)
{
    const uint64_t key[2] = { 5, 6 };
    for (size_t count = 0; count < 6; count++) {
        uint64_t words[4 * 6 + 1];
        memset(words, 0, sizeof words);
        words[4 * count] = 77;
        vv_philox_fill(key, UINT64_MAX - 1, count, words);
        for (size_t i = 0; i < count; i++) {
            uint64_t one[4] = { UINT64_MAX - 1 + i, 0, 0, 0 };
            vv_philox(key, one);
            cr_assert_arr_eq(words + 4 * i, one, sizeof one);
        }
        cr_assert_eq(words[4 * count], 77);
    }
}

TEST(philox, multiplies_to_128_bits)
{
    uint64_t low;
    cr_assert_eq(vv_multiply(UINT64_MAX, UINT64_MAX, &low), UINT64_MAX - 1);
    cr_assert_eq(low, 1);
    cr_assert_eq(vv_multiply(UINT64_C(0x123456789abcdef0),
                     UINT64_C(0xfedcba9876543210), &low),
        UINT64_C(0x121fa00ad77d7422));
    cr_assert_eq(low, UINT64_C(0x236d88fe5618cf00));
}
