/* test_bundle.c - Tests the element types of TensorFlow checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle.h"

#include "support/test.h"

TEST(bundle_dtype, has_a_number_for_every_element_type)
{
    static const uint32_t numbers[] = { 0, 10, 6, 5, 3, 9, 4, 17, 22, 23, 19,
        14, 1, 2, 8, 18, 25, 24, 7 };
    for (uint32_t i = VARVE_BOOL; i <= VARVE_DTYPE_COUNT; i++) {
        varve_dtype dtype = (varve_dtype)i;
        cr_assert_eq(vv_bundle_dtype_number(dtype), numbers[i]);
        cr_assert_eq(vv_bundle_dtype(numbers[i]), dtype);
        cr_assert_eq(vv_bundle_dtype(numbers[i] + 100), dtype);
        cr_assert_str_eq(
            vv_bundle_dtype_name(numbers[i]), varve_dtype_name(dtype));
    }
}

TEST(bundle_dtype, maps_quantized_types_to_integers)
{
    cr_assert_eq(vv_bundle_dtype(11), VARVE_INT8);
    cr_assert_eq(vv_bundle_dtype(12), VARVE_UINT8);
    cr_assert_eq(vv_bundle_dtype(13), VARVE_INT32);
    cr_assert_eq(vv_bundle_dtype(15), VARVE_INT16);
    cr_assert_eq(vv_bundle_dtype(16), VARVE_UINT16);
}

TEST(bundle_dtype, names_unsupported_types)
{
    static const struct {
        uint64_t number;
        const char *name;
    } others[] = { { 20, "resource" }, { 21, "variant" },
        { 26, "float8_e4m3fnuz" }, { 29, "int4" }, { 32, "uint2" },
        { 121, "variant" }, { 33, "float4_e2m1fn" },
        { 0, NULL }, { 34, NULL },
        { 100, NULL }, { 134, NULL }, { UINT64_MAX, NULL } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        cr_assert_eq(vv_bundle_dtype(others[i].number), 0);
        const char *name = vv_bundle_dtype_name(others[i].number);
        cr_assert_eq(!name, !others[i].name);
        if (name)
            cr_assert_str_eq(name, others[i].name);
    }
}
