/* test_gguf_type.c - Tests the element types of GGUF files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "dtype.h"
#include "gguf_type.h"

TEST(gguf_type, says_how_large_blocks_are)
{
    const struct vv_gguf_type *type = vv_gguf_type_of(12);
    uint64_t size;
    cr_assert_str_eq(type->tag, "gguf:Q4_K");
    cr_assert_eq(type->dtype, 0);
    cr_assert(vv_gguf_type_size(type, 512, &size));
    /* two scales, 12 smaller ones, half bytes */
    cr_assert_eq(size, 2 * (2 * 2 + 12 + 128));
    cr_assert_not(vv_gguf_type_size(
        vv_gguf_type_of(28), UINT64_C(1) << 61, &size));
}

TEST(gguf_type, stores_ours_as_we_do)
{
    size_t ours = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const struct vv_gguf_type *type = vv_gguf_type_of(i);
        if (!type || !type->dtype)
            continue;
        ours++;
        cr_assert_eq(type->block, 1);
        cr_assert_eq(type->size, vv_dtype_file_size(type->dtype));
    }
    cr_assert_eq(ours, 8);
}

TEST(gguf_type, knows_every_number_once)
{
    for (uint32_t i = 0; i < 64; i++) {
        const struct vv_gguf_type *type = vv_gguf_type_of(i);
        if (!type)
            continue;
        cr_assert_eq(type->number, i);
        cr_assert(strncmp(type->tag, "gguf:", 5) == 0);
        cr_assert(type->block > 0 && type->size > 0);
        for (uint32_t k = 0; k < i; k++) {
            const struct vv_gguf_type *other = vv_gguf_type_of(k);
            cr_assert(!other || strcmp(other->tag, type->tag) != 0);
        }
    }
}

TEST(gguf_type, does_not_know_those_taken_back)
{
    static const uint32_t gone[] = { 4, 5, 31, 32, 33, 36, 37, 38, 42, 1000,
        UINT32_MAX };
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        cr_assert_null(vv_gguf_type_of(gone[i]));
}
