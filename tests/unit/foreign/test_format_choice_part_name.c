/* test_format_choice_part_name.c - Tests the names of files of split models.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "format_choice.h"

TEST(part_name, returns_number_and_count)
{
    uint64_t number, count;
    cr_assert(
        vv_part_name("a/model-00002-of-00003.safetensors", &number, &count));
    cr_assert_eq(number, 2);
    cr_assert_eq(count, 3);
    cr_assert(vv_part_name("-0012-of-0100.bin", &number, &count));
    cr_assert_eq(number, 12);
    cr_assert_eq(count, 100);
}

TEST(part_name, rejects_other_names)
{
    static const char *const names[] = { "", "model.bin", "00001-of-00002.bin",
        "m-00001-of-00002", "m-1-of-2.bin", "m-00000-of-00002.bin",
        "m-00003-of-00002.bin", "m-00001_of-00002.bin", "m_00001-of-00002.bin",
        "m-0001-of-00002.bin", "-of-00002.bin", "a-00001-of-00002.d/model.bin",
        "m-0000000001-of-0000000002.bin" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t number, count;
        cr_assert_not(vv_part_name(names[i], &number, &count), "%s", names[i]);
    }
}
