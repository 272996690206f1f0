/* test_typed_memory_shape_tensor.c - Tests the tensors of the public interface.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <complex.h>
#include <string.h>

TEST(tensor, is_a_view_of_an_array)
{
    static float w[784 * 10];
    varve_tensor view = varve_array(w, 784, 10);
    cr_assert_eq(view.data, w);
    cr_assert_eq(view.dtype, VARVE_FLOAT32);
    cr_assert_eq(view.rank, 2);
    cr_assert_eq(view.shape[0], 784);
    cr_assert_eq(view.shape[1], 10);
    for (size_t i = 2; i < VARVE_MAX_RANK; i++)
        cr_assert_eq(view.shape[i], 0);
    cr_assert_eq(varve_tensor_count(&view), 7840);
    cr_assert_eq(varve_tensor_size(&view), 31360);
}

TEST(tensor, is_a_view_of_one_number)
{
    int64_t step = 3;
    varve_tensor view = varve_scalar(&step);
    cr_assert_eq(view.dtype, VARVE_INT64);
    cr_assert_eq(view.rank, 0);
    cr_assert_eq(varve_tensor_count(&view), 1);
    cr_assert_eq(varve_tensor_size(&view), 8);
}

#define CHECK_TYPE(type, expected)                                             \
    do {                                                                       \
        type v[2];                                                             \
        varve_tensor view = varve_array(v, 2);                                 \
        cr_assert_eq(view.dtype, expected);                                    \
        cr_assert_eq(varve_tensor_size(&view), sizeof v);                      \
    } while (0)

TEST(tensor, takes_its_type_from_the_pointer)
{
    CHECK_TYPE(bool, VARVE_BOOL);
    CHECK_TYPE(int8_t, VARVE_INT8);
    CHECK_TYPE(int16_t, VARVE_INT16);
    CHECK_TYPE(int32_t, VARVE_INT32);
    CHECK_TYPE(int64_t, VARVE_INT64);
    CHECK_TYPE(uint8_t, VARVE_UINT8);
    CHECK_TYPE(uint16_t, VARVE_UINT16);
    CHECK_TYPE(uint32_t, VARVE_UINT32);
    CHECK_TYPE(uint64_t, VARVE_UINT64);
    CHECK_TYPE(long, sizeof(long) == 8 ? VARVE_INT64 : VARVE_INT32);
    CHECK_TYPE(long long, VARVE_INT64);
    CHECK_TYPE(unsigned long long, VARVE_UINT64);
    CHECK_TYPE(size_t, sizeof(size_t) == 8 ? VARVE_UINT64 : VARVE_UINT32);
    CHECK_TYPE(float, VARVE_FLOAT32);
    CHECK_TYPE(double, VARVE_FLOAT64);
    CHECK_TYPE(float complex, VARVE_COMPLEX64);
    CHECK_TYPE(double complex, VARVE_COMPLEX128);
    CHECK_TYPE(varve_string, VARVE_STRING);
}

TEST(tensor, keeps_only_the_extents_that_fit)
{
    uint64_t extents[20];
    for (size_t i = 0; i < 20; i++)
        extents[i] = i + 1;
    varve_shape shape = varve_shape_of(20, extents);
    cr_assert_eq(shape.rank, 20);
    cr_assert_arr_eq(shape.extents, extents, sizeof shape.extents);
    varve_tensor view = varve_view(NULL, VARVE_INT8, shape);
    cr_assert_eq(view.rank, 20);
    cr_assert_arr_eq(view.shape, extents, sizeof view.shape);
    cr_assert_eq(varve_shape_of(0, NULL).rank, 0);
    varve_tensor_count(&view); /* must not read past the extents */
    varve_tensor_size(&view);
}

TEST(tensor, ignores_extents_above_its_rank)
{
    varve_shape shape = { .rank = 1, .extents = { 3, 4, 5 } };
    varve_tensor view = varve_view(NULL, VARVE_INT8, shape);
    cr_assert_eq(view.shape[0], 3);
    cr_assert_eq(view.shape[1], 0);
}

TEST(tensor, has_a_text)
{
    char text[VARVE_TENSOR_TEXT_SIZE];
    varve_tensor t = varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(784, 10));
    cr_assert_eq(varve_tensor_text(&t, text), text);
    cr_assert_str_eq(text, "float32[784,10]");
    t.rank = 0;
    t.dtype = VARVE_INT64;
    cr_assert_str_eq(varve_tensor_text(&t, text), "int64[]");
    t.rank = 1;
    t.shape[0] = 0;
    t.dtype = VARVE_STRING;
    cr_assert_str_eq(varve_tensor_text(&t, text), "string[0]");
    t.dtype = (varve_dtype)0;
    cr_assert_str_eq(varve_tensor_text(&t, text), "unknown[0]");
}

TEST(tensor, has_a_text_of_bounded_length)
{
    char text[VARVE_TENSOR_TEXT_SIZE];
    varve_tensor t = { .dtype = VARVE_FLOAT8_E4M3FN, .rank = VARVE_MAX_RANK };
    for (size_t i = 0; i < VARVE_MAX_RANK; i++)
        t.shape[i] = UINT64_MAX;
    varve_tensor_text(&t, text);
    cr_assert_eq(strlen(text), strlen("float8_e4m3fn[]") + 16 * 20 + 15);
    cr_assert_eq(text[strlen(text) - 1], ']');
    t.rank = UINT32_MAX;
    varve_tensor_text(&t, text);
    cr_assert_str_eq(text + strlen(text) - 6, "5,...]");
}
