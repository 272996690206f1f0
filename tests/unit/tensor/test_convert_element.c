/* test_convert_element.c - Tests formatting elements as text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "convert.h"

static void check(varve_dtype dtype, const void *bytes, const char *wanted)
{
    char text[VV_ELEMENT_TEXT_SIZE];
    cr_assert_str_eq(vv_element_text(dtype, bytes, text), wanted);
}

TEST(element, is_written_exactly)
{
    check(VARVE_BOOL, &(bool){ true }, "true");
    check(VARVE_INT8, &(int8_t){ -128 }, "-128");
    check(VARVE_UINT16, &(uint16_t){ 65535 }, "65535");
    check(VARVE_INT64, &(int64_t){ INT64_MIN }, "-9223372036854775808");
    check(VARVE_UINT64, &(uint64_t){ UINT64_MAX }, "18446744073709551615");
    check(VARVE_FLOAT16, &(uint16_t){ 0x3c00 }, "1");
    check(VARVE_BFLOAT16, &(uint16_t){ 0xbf80 }, "-1");
    check(VARVE_FLOAT8_E4M3FN, &(uint8_t){ 0x38 }, "1");
    check(VARVE_FLOAT8_E5M2, &(uint8_t){ 0x7c }, "inf");
}

TEST(element, of_a_real_has_the_fewest_exact_digits)
{
    check(VARVE_FLOAT32, &(float){ 0.1f }, "0.1");
    check(VARVE_FLOAT32, &(float){ 16777217.0f }, "16777216");
    check(VARVE_FLOAT32, &(float){ -0.0f }, "-0");
    check(VARVE_FLOAT64, &(double){ 0.1 }, "0.1");
    check(VARVE_FLOAT64, &(double){ 1.0 / 3 }, "0.3333333333333333");
    check(VARVE_FLOAT64, &(double){ 0.1 + 0.2 }, "0.30000000000000004");
    check(VARVE_FLOAT64, &(double){ -INFINITY }, "-inf");
    check(VARVE_COMPLEX64, (float[]){ 1, -2.5f }, "1-2.5i");
    check(VARVE_COMPLEX128, (double[]){ 1e300, 0.1 }, "1e+300+0.1i");
}

TEST(element, of_a_string_is_shortened)
{
    check(VARVE_STRING, &(varve_string){ NULL, 0 }, "\"\"");
    check(VARVE_STRING, &(varve_string){ "yes", 3 }, "\"yes\"");
    check(VARVE_STRING, &(varve_string){ "a\nb\x1b", 4 }, "\"a?b?\"");
    check(VARVE_STRING,
        &(varve_string){
            "0123456789012345678901234567890123456789and more", 48 },
        "\"0123456789012345678901234567890123456789...\"");
}

/* The longest text must fit. */
TEST(element, fits_the_longest_text)
{
    char text[VV_ELEMENT_TEXT_SIZE];
    double longest[2] = { -1.2345678901234567e-300, -1.2345678901234567e-300 };
    vv_element_text(VARVE_COMPLEX128, longest, text);
    cr_assert_eq(text[strlen(text) - 1], 'i');
}
