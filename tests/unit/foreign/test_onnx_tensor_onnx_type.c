/* test_onnx_tensor_onnx_type.c - Tests the element types of ONNX.
 *
 * SPDX-License-Identifier: MIT
 */
#include "onnx_tensor.h"

#include "typed_memory.h"
#include "support/test.h"

TEST(onnx_type, maps_each_element_type_once)
{
    unsigned found = 0;
    for (uint64_t i = 0; i < 40; i++) {
        const struct vv_onnx_type *t = vv_onnx_type_of(i);
        cr_assert_eq(t != NULL, i > 0 && i < 29);
        if (!t || !t->dtype)
            continue;
        cr_assert_not(found >> t->dtype & 1);
        cr_assert_eq(vv_dtype_file_size(t->dtype) * 8, t->bits);
        found |= 1u << t->dtype;
    }
    cr_assert_eq(found, (2u << VARVE_DTYPE_COUNT) - 2);
}

TEST(onnx_type, packs_types_smaller_than_a_byte)
{
    uint64_t size;
    static const struct { uint64_t type, count, size, items; } rows[] = {
        { 22, 3, 2, 2 }, { 22, 4, 2, 2 }, { 25, 5, 2, 2 }, { 27, 3, 3, 3 },
        { 27, 4, 3, 4 }, { 1, 3, 12, 3 }, { 14, 3, 24, 6 }, { 15, 1, 16, 2 },
        { 22, 0, 0, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct vv_onnx_type *t = vv_onnx_type_of(rows[i].type);
        cr_assert(vv_onnx_type_size(t, rows[i].count, &size));
        cr_assert_eq(size, rows[i].size);
        cr_assert_eq(vv_onnx_type_items(t, rows[i].count, size),
            rows[i].items);
    }
}

TEST(onnx_type, has_sizes_of_at_most_64_bits)
{
    uint64_t size;
    const struct vv_onnx_type *f = vv_onnx_type_of(1);
    cr_assert(vv_onnx_type_size(f, UINT64_MAX / 4, &size));
    cr_assert_eq(size, UINT64_MAX - 3);
    cr_assert_not(vv_onnx_type_size(f, UINT64_MAX / 4 + 1, &size));
    cr_assert_not(vv_onnx_type_size(vv_onnx_type_of(15), UINT64_MAX, &size));
    cr_assert(vv_onnx_type_size(vv_onnx_type_of(25), UINT64_MAX, &size));
    cr_assert_eq(size, UINT64_C(1) << 62);
    cr_assert(vv_onnx_type_size(vv_onnx_type_of(2), UINT64_MAX, &size));
    cr_assert_eq(size, UINT64_MAX);
}
