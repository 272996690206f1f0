/* test_libc_random.c - Tests access to the state of the C library's generators.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "libc_random.h"

enum { DRAWN = 100 };

static void draw(enum vv_libc_generator which, long *numbers)
{
    for (int i = 0; i < DRAWN; i++)
        numbers[i] = which == VV_LIBC_RAND      ? rand()
                     : which == VV_LIBC_RANDOM ? random()
                                               : mrand48();
}

static void seed(enum vv_libc_generator which, unsigned number)
{
    if (which == VV_LIBC_RAND)
        srand(number);
    else if (which == VV_LIBC_RANDOM)
        srandom(number);
    else
        srand48((long)number);
}

/* From any position, regardless of numbers drawn in between, and from the
 * start. */
static void check_taken_and_given_back(enum vv_libc_generator which)
{
    uint32_t words[VV_LIBC_MOST_WORDS];
    long wanted[DRAWN], drawn[DRAWN];
    if (!vv_libc_random_form(which))
        return;
    for (unsigned before = 0; before < 3 * DRAWN; before += DRAWN) {
        seed(which, 7);
        for (unsigned i = 0; i < before; i += DRAWN)
            draw(which, drawn);
        size_t count = vv_libc_random_get(which, words);
        cr_assert_gt(count, 1);
        draw(which, wanted);
        seed(which, 7);
        for (unsigned i = 0; i < before; i += DRAWN)
            draw(which, drawn);
        draw(which, drawn);
        cr_assert_arr_eq(drawn, wanted, sizeof wanted, "asking changes it");
        seed(which, 8);
        draw(which, drawn);
        cr_assert(vv_libc_random_set(which, words, count));
        draw(which, drawn);
        cr_assert_arr_eq(drawn, wanted, sizeof wanted);
    }
}

TEST(libc_random, is_saved_and_restored)
{
    check_taken_and_given_back(VV_LIBC_RAND);
    check_taken_and_given_back(VV_LIBC_RANDOM);
    check_taken_and_given_back(VV_LIBC_DRAND48);
}

/* With each size that initstate supports, in memory of the program. */
TEST(libc_random, is_supported_in_memory_of_the_program)
{
    static const size_t sizes[] = { 8, 32, 64, 128, 256 };
    static uint32_t memory[64], kept[VV_LIBC_MOST_WORDS];
    uint32_t words[VV_LIBC_MOST_WORDS];
    if (!vv_libc_random_form(VV_LIBC_RANDOM))
        return;
    size_t kept_count = vv_libc_random_get(VV_LIBC_RANDOM, kept);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *older = initstate(3, (char *)memory, sizes[i]);
        cr_assert_eq(
            vv_libc_random_get(VV_LIBC_RANDOM, words), sizes[i] / 4);
        check_taken_and_given_back(VV_LIBC_RANDOM);
        if (sizes[i] / 4 != kept_count)
            cr_assert_not(
                vv_libc_random_set(VV_LIBC_RANDOM, kept, kept_count));
        setstate(older);
    }
}

TEST(libc_random, refuses_invalid_states)
{
    uint32_t words[VV_LIBC_MOST_WORDS], wrong[VV_LIBC_MOST_WORDS];
    if (!vv_libc_random_form(VV_LIBC_RANDOM))
        return;
    size_t count = vv_libc_random_get(VV_LIBC_RANDOM, words);
    long wanted[DRAWN], drawn[DRAWN];
    draw(VV_LIBC_RANDOM, wanted);
    cr_assert(vv_libc_random_set(VV_LIBC_RANDOM, words, count));
    static const uint32_t firsts[] = { UINT32_MAX, 0x7fffffff, 200, 159 };
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        memcpy(wrong, words, sizeof wrong);
        wrong[0] = firsts[i];
        cr_assert_not(vv_libc_random_set(VV_LIBC_RANDOM, wrong, count));
    }
    cr_assert_not(vv_libc_random_set(VV_LIBC_RANDOM, words, count - 1));
    cr_assert_not(vv_libc_random_set(VV_LIBC_RANDOM, words, 0));
    draw(VV_LIBC_RANDOM, drawn);
    cr_assert_arr_eq(drawn, wanted, sizeof wanted);
    wrong[0] = 0;
    wrong[1] = UINT16_MAX + 1;
    cr_assert_not(vv_libc_random_set(VV_LIBC_DRAND48, wrong, 2));
    cr_assert_not(vv_libc_random_set(VV_LIBC_DRAND48, wrong, 3));
}
