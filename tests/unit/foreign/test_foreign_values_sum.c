/* test_foreign_values_sum.c - Tests checksums and their combination.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "crc.h"
#include "foreign_values.h"

TEST(sum, equals_the_standard_checksums)
{
    cr_assert_eq(vv_sum(VV_SUM_CRC32C, "123456789", 9), 0xe3069283);
    cr_assert_eq(vv_sum(VV_SUM_CRC32, "123456789", 9), 0xcbf43926);
    cr_assert_eq(vv_sum(VV_SUM_NONE, "123456789", 9), 0);
    cr_assert_eq(vv_sum(VV_SUM_CRC32C, "", 0), 0);
    cr_assert_str_eq(vv_sum_name(VV_SUM_CRC32C), "CRC-32C");
    cr_assert_str_eq(vv_sum_name(VV_SUM_CRC32), "CRC-32");
}

static void check_splits(enum vv_sum_kind kind)
{
    unsigned char bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 11);
    uint32_t whole = vv_sum(kind, bytes, sizeof bytes);
    for (size_t i = 0; i <= sizeof bytes; i++) {
        size_t rest = sizeof bytes - i;
        uint32_t sum = vv_sum_combine(kind, vv_sum(kind, bytes, i),
            vv_sum(kind, bytes + i, rest), rest);
        cr_assert_eq(sum, whole, "split at %zu", i);
    }
}

TEST(sum, of_parts_combines_to_that_of_the_whole)
{
    check_splits(VV_SUM_CRC32C);
    check_splits(VV_SUM_CRC32);
}

TEST(sum, of_parts_combines_for_sizes_above_32_bits)
{
    enum vv_sum_kind kind = VV_SUM_CRC32C;
    uint32_t once = UINT32_C(0x12345678);
    uint32_t twice = once;
    once = vv_sum_combine(kind, once, 0, UINT64_C(1) << 40);
    for (int i = 0; i < 2; i++)
        twice = vv_sum_combine(kind, twice, 0, UINT64_C(1) << 39);
    cr_assert_eq(once, twice);
    cr_assert_neq(once, vv_sum_combine(kind, UINT32_C(0x12345678), 0, 0));
}

TEST(sum, is_stored_masked_only_for_crc32c)
{
    uint32_t masked = vv_crc32c_mask(UINT32_C(0xe3069283));
    cr_assert_neq(masked, 0xe3069283);
    cr_assert_eq(vv_sum_stored(VV_SUM_CRC32C, masked), 0xe3069283);
    cr_assert_eq(vv_sum_stored(VV_SUM_CRC32, 0xcbf43926), 0xcbf43926);
}
