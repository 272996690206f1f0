/* test_typed_memory.c - Tests the element types.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <complex.h>
#include <string.h>

#include "bytes.h"
#include "typed_memory.h"

static const struct {
    unsigned number;
    const char *name;
    size_t size;
    size_t file_size;
    size_t swapped; /* number of bytes that are reversed together */
} cases[] = {
    { 1, "bool", sizeof(bool), 1, 1 },
    { 2, "int8", 1, 1, 1 },
    { 3, "int16", 2, 2, 2 },
    { 4, "int32", 4, 4, 4 },
    { 5, "int64", 8, 8, 8 },
    { 6, "uint8", 1, 1, 1 },
    { 7, "uint16", 2, 2, 2 },
    { 8, "uint32", 4, 4, 4 },
    { 9, "uint64", 8, 8, 8 },
    { 10, "float16", 2, 2, 2 },
    { 11, "bfloat16", 2, 2, 2 },
    { 12, "float32", sizeof(float), 4, 4 },
    { 13, "float64", sizeof(double), 8, 8 },
    { 14, "complex64", sizeof(float complex), 8, 4 },
    { 15, "complex128", sizeof(double complex), 16, 8 },
    { 16, "float8_e4m3fn", 1, 1, 1 },
    { 17, "float8_e5m2", 1, 1, 1 },
    { 18, "string", sizeof(varve_string), 0, 0 },
};

enum { CASES = sizeof cases / sizeof *cases };

TEST(dtype, numbers_are_one_to_the_count)
{
    cr_assert_null(vv_dtype_of((varve_dtype)0));
    for (int d = 1; d <= VARVE_DTYPE_COUNT; d++)
        cr_assert(vv_dtype_of((varve_dtype)d), "%d", d);
    cr_assert_null(vv_dtype_of((varve_dtype)(VARVE_DTYPE_COUNT + 1)));
    cr_assert_null(vv_dtype_of((varve_dtype)-1));
}

TEST(dtype, has_a_name_and_a_size_for_every_number_of_the_format)
{
    for (size_t i = 0; i < CASES; i++) {
        varve_dtype dtype = (varve_dtype)cases[i].number;
        cr_assert(vv_dtype_is_valid(cases[i].number));
        cr_assert_str_eq(varve_dtype_name(dtype), cases[i].name);
        cr_assert_eq(varve_dtype_size(dtype), cases[i].size);
        cr_assert_eq(vv_dtype_file_size(dtype), cases[i].file_size);
    }
}

TEST(dtype, refuses_other_numbers)
{
    static const unsigned numbers[] = { 0, CASES + 1, 255, 256, 65536 + 12,
        UINT32_MAX };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        varve_dtype dtype = (varve_dtype)numbers[i];
        cr_assert_not(vv_dtype_is_valid(numbers[i]));
        cr_assert_str_eq(varve_dtype_name(dtype), "unknown");
        cr_assert_eq(varve_dtype_size(dtype), 0);
        cr_assert_eq(vv_dtype_file_size(dtype), 0);
        cr_assert_null(vv_dtype_of(dtype));
    }
}

enum { COUNT = 37 };

static void fill(unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 7 + 3);
}

static void check_reversed(size_t i, size_t offset)
{
    varve_dtype dtype = (varve_dtype)cases[i].number;
    size_t size = COUNT * cases[i].size, unit = cases[i].swapped;
    unsigned char from[COUNT * 16 + 1], to[COUNT * 16 + 2];
    fill(from, sizeof from);
    memset(to, 0xee, sizeof to);
    vv_dtype_reverse_copy(dtype, to + offset, from + offset, COUNT);
    for (size_t k = 0; k < size; k++)
        cr_assert_eq(to[offset + k],
            from[offset + k / unit * unit + unit - 1 - k % unit]);
    cr_assert_eq(to[offset + size], 0xee);
    vv_dtype_reverse_copy(dtype, to + offset, to + offset, COUNT);
    cr_assert_arr_eq(to + offset, from + offset, size);
}

TEST(dtype, reverses_the_bytes_of_each_type_at_any_address)
{
    for (size_t i = 0; i < CASES; i++) {
        if (cases[i].swapped == 0)
            continue;
        check_reversed(i, 0);
        check_reversed(i, 1);
    }
    vv_dtype_reverse_copy(VARVE_INT64, NULL, NULL, 0);
    vv_dtype_reverse_copy(VARVE_INT8, NULL, NULL, 0);
    char byte = 7;
    vv_dtype_reverse_copy(VARVE_STRING, &byte, "x", 1);
    vv_dtype_reverse_copy((varve_dtype)99, &byte, "x", 1);
    cr_assert_eq(byte, 7); /* these are not numbers */
}

TEST(dtype, is_little_endian_in_files)
{
    uint32_t number = 0x01020304;
    float complex z = 1.0f + 2.0f * I;
    unsigned char bytes[8];
    vv_dtype_swap_copy(VARVE_UINT32, bytes, &number, 1);
    cr_assert_arr_eq(bytes, ((unsigned char[]){ 4, 3, 2, 1 }), 4);
    vv_dtype_swap_copy(VARVE_COMPLEX64, bytes, &z, 1);
    cr_assert_arr_eq(
        bytes, ((unsigned char[]){ 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40 }), 8);
    vv_dtype_swap_copy(VARVE_COMPLEX64, bytes, bytes, 1);
    cr_assert_arr_eq(bytes, &z, 8);
    vv_dtype_swap_copy(VARVE_INT64, NULL, NULL, 0);
}

TEST(dtype, of_complex_numbers_is_real_then_imaginary)
{
    double complex z = 3.0 - 4.0 * I;
    double parts[2];
    memcpy(parts, &z, sizeof z);
    cr_assert(parts[0] == 3.0 && parts[1] == -4.0);
}
