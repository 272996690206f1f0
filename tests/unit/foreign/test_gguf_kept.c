/* test_gguf_kept.c - Tests the data that is kept for writing GGUF files again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gguf_kept.h"

#include <string.h>

#include "support/test.h"
#include "typed_memory.h"

TEST(gguf_type, has_the_sizes_of_blocks)
{
    const struct vv_gguf_type *type = vv_gguf_type_of(12);
    uint64_t size;
    cr_assert_str_eq(type->tag, "gguf:Q4_K");
    cr_assert_eq(type->dtype, 0);
    cr_assert(vv_gguf_type_size(type, 512, &size));
    cr_assert_eq(size, 2 * (2 * 2 + 12 + 128)); /* two scales, 12 smaller ones,
                                                   halves of bytes */
    cr_assert_not(vv_gguf_type_size(
        vv_gguf_type_of(28), UINT64_C(1) << 61, &size));
}

TEST(gguf_type, stores_supported_types_in_the_varve_size)
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

TEST(gguf_type, has_every_number_once)
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

TEST(gguf_type, omits_withdrawn_types)
{
    static const uint32_t gone[] = { 4, 5, 31, 32, 33, 36, 37, 38, 42, 1000,
        UINT32_MAX };
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        cr_assert_null(vv_gguf_type_of(gone[i]));
}

/* Names preceded by their sizes, as stored in files. */
#define A "\1\0\0\0\0\0\0\0a\4\0\0\0\7\0\0\0"
#define BC "\2\0\0\0\0\0\0\0bc\x09\0\0\0"

TEST(gguf_kept, returns_entries_in_order)
{
    struct vv_buffer kept;
    struct vv_gguf_entry e;
    size_t at = 0;
    vv_buffer_init(&kept, test_allocator());
    memcpy(vv_gguf_keep_entry(&kept, "7", 1, sizeof A - 1), A, sizeof A - 1);
    memcpy(vv_gguf_keep_entry(&kept, NULL, 0, sizeof BC - 1), BC,
        sizeof BC - 1);
    cr_assert(vv_gguf_kept_next(kept.data, kept.size, &at, &e));
    cr_assert(e.name_size == 1 && e.name[0] == 'a');
    cr_assert(e.size == sizeof A - 1 && memcmp(e.bytes, A, e.size) == 0);
    cr_assert(vv_gguf_entry_is(&e, "7", 1));
    cr_assert_not(vv_gguf_entry_is(&e, "8", 1));
    cr_assert(vv_gguf_kept_next(kept.data, kept.size, &at, &e));
    cr_assert(e.name_size == 2 && memcmp(e.name, "bc", 2) == 0);
    cr_assert_not(vv_gguf_entry_is(&e, "", 0));
    cr_assert_not(vv_gguf_kept_next(kept.data, kept.size, &at, &e));
    vv_buffer_clear(&kept);
}

TEST(gguf_kept, returns_tensors)
{
    unsigned char kept[VV_GGUF_KEPT_TENSOR];
    struct vv_gguf_tensor back, t = { vv_gguf_type_of(12),
        { .rank = 4, .shape = { 1, 2, 3, UINT64_C(1) << 40 } } };
    size_t size = vv_gguf_keep_tensor(kept, &t);
    cr_assert_eq(size, sizeof kept);
    cr_assert(vv_gguf_kept_tensor(kept, size, &back));
    cr_assert_eq(back.type, t.type);
    cr_assert_eq(back.shape.rank, 4);
    cr_assert_eq(memcmp(back.shape.shape, t.shape.shape, 4 * 8), 0);
    t.shape.rank = 0;
    size = vv_gguf_keep_tensor(kept, &t);
    cr_assert(vv_gguf_kept_tensor(kept, size, &back));
    cr_assert_eq(back.shape.rank, 0);
}

TEST(gguf_kept, refuses_other_bytes_as_a_tensor)
{
    static const unsigned char zeros[16];
    unsigned char kept[VV_GGUF_KEPT_TENSOR] = { 12, 0, 0, 0, 1 };
    struct vv_gguf_tensor t;
    cr_assert_not(vv_gguf_kept_tensor(zeros, 0, &t));
    cr_assert_not(vv_gguf_kept_tensor(zeros, 16, &t));
    cr_assert_not(vv_gguf_kept_tensor(kept, 8, &t));
    cr_assert(vv_gguf_kept_tensor(kept, 16, &t));
    kept[0] = 4; /* a type that was removed from the format */
    cr_assert_not(vv_gguf_kept_tensor(kept, 16, &t));
}
