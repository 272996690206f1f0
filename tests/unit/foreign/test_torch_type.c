/* test_torch_type.c - Tests the element types of torch files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_sample.h"
#include "torch_type.h"

static varve_dtype type_of(const char *module, const char *name)
{
    struct vv_buffer b = new_bytes();
    put_global(&b, module, name);
    OP(&b, ".");
    struct vv_pickle p = read_pickle(&b);
    varve_dtype type = vv_torch_type(&p, p.root);
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
    return type;
}

TEST(torch_type, knows_dtypes_and_classes_of_storages)
{
    cr_assert_eq(type_of("torch", "bfloat16"), VARVE_BFLOAT16);
    cr_assert_eq(type_of("torch", "BFloat16Storage"), VARVE_BFLOAT16);
    cr_assert_eq(type_of("torch", "float8_e4m3fn"), VARVE_FLOAT8_E4M3FN);
    cr_assert_eq(type_of("torch.storage", "UntypedStorage"), VARVE_UINT8);
    cr_assert_eq(type_of("torch", "ComplexDoubleStorage"), VARVE_COMPLEX128);
}

TEST(torch_type, knows_no_others)
{
    cr_assert_eq(type_of("torch", "QInt8Storage"), 0);
    cr_assert_eq(type_of("torch", "float8_e4m3fnuz"), 0);
    cr_assert_eq(type_of("numpy", "float32"), 0);
    cr_assert_eq(type_of("torch.storage", "float32"), 0);
    struct vv_buffer b = new_bytes();
    OP(&b, "K\1.");
    struct vv_pickle p = read_pickle(&b);
    cr_assert_eq(vv_torch_type(&p, p.root), 0);
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
}

TEST(torch_type, knows_each_of_ours_that_torch_has)
{
    static const char *const names[] = { "float32", "float64", "float16",
        "bfloat16", "int64", "int32", "int16", "int8", "uint8", "uint16",
        "uint32", "uint64", "bool", "complex64", "complex128",
        "float8_e4m3fn", "float8_e5m2" };
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        varve_dtype type = type_of("torch", names[i]);
        cr_assert_str_eq(varve_dtype_name(type), names[i]);
        seen |= 1U << type;
    }
    cr_assert_eq(seen | 1U << VARVE_STRING, (2U << VARVE_DTYPE_COUNT) - 2);
}
