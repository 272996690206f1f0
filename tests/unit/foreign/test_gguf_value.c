/* test_gguf_value.c - Tests metadata values of GGUF files.
 *
 * SPDX-License-Identifier: MIT
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "gguf_sample.h"

static struct gguf_file f;
static struct vv_gguf_bytes in;

/* Returns the text of a value that was written before; it must be freed. */
static varve_status take(struct vv_buffer *text)
{
    struct vv_gguf_value value;
    vv_buffer_init(text, test_allocator());
    begin_bytes(&f, &in);
    varve_status status = vv_gguf_take_value(&in, &value, text, &f.error);
    if (!status)
        cr_assert_eq(in.at, in.size, "%d bytes are left",
            (int)(in.size - in.at));
    end_bytes(&f);
    return status;
}

static void expect(enum vv_gguf_kind kind, uint64_t bits, size_t size,
    const char *expected)
{
    struct vv_buffer text;
    put32(&f, (uint32_t)kind);
    put_number(&f, bits, size);
    cr_assert_ok(take(&text), f.error);
    cr_assert_str_eq(vv_buffer_string(&text), expected);
    vv_buffer_clear(&text);
}

static void expect_double(double value, const char *expected)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    expect(VV_GGUF_FLOAT64, bits, 8, expected);
}

static void expect_float(float value, const char *expected)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    expect(VV_GGUF_FLOAT32, bits, 4, expected);
}

TEST(gguf_value, is_the_decimal_of_an_integer)
{
    expect(VV_GGUF_UINT8, 255, 1, "255");
    expect(VV_GGUF_INT8, 0x80, 1, "-128");
    expect(VV_GGUF_INT8, 127, 1, "127");
    expect(VV_GGUF_UINT16, 65535, 2, "65535");
    expect(VV_GGUF_INT16, 0xffff, 2, "-1");
    expect(VV_GGUF_UINT32, UINT32_MAX, 4, "4294967295");
    expect(VV_GGUF_INT32, 0x80000000, 4, "-2147483648");
    expect(VV_GGUF_UINT64, UINT64_MAX, 8, "18446744073709551615");
    expect(VV_GGUF_INT64, UINT64_C(1) << 63, 8, "-9223372036854775808");
    expect(VV_GGUF_INT64, 0, 8, "0");
}

TEST(gguf_value, is_the_shortest_decimal_of_a_real)
{
    expect_float(0.1f, "0.1");
    expect_float(16777216.0f, "16777216");
    expect_float(-3.4028235e38f, "-3.4028235e+38");
    expect_double(0.1, "0.1");
    expect_double((double)0.1f, "0.10000000149011612");
    expect_double(0.1 + 0.2, "0.30000000000000004");
    expect_double(5e-324, "5e-324");
    expect_double(-0.0, "-0");
    expect(VV_GGUF_FLOAT32, 0x7f800000, 4, "inf");
    expect(VV_GGUF_FLOAT32, 0xff800000, 4, "-inf");
    expect(VV_GGUF_FLOAT64, UINT64_C(0xfff8000000000001), 8, "nan");
}

TEST(gguf_value, has_a_decimal_point_in_every_locale)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") &&
        !setlocale(LC_NUMERIC, "fr_FR.UTF-8") &&
        !setlocale(LC_NUMERIC, "ps_AF.UTF-8"))
        return; /* no locale with another decimal point is installed */
    expect_double(-1.5e-9, "-1.5e-09");
}

TEST(gguf_value, is_only_true_or_false_for_a_bool)
{
    struct vv_buffer text;
    expect(VV_GGUF_BOOL, 0, 1, "false");
    expect(VV_GGUF_BOOL, 1, 1, "true");
    put32(&f, VV_GGUF_BOOL);
    put_number(&f, 2, 1);
    cr_assert_eq(take(&text), VARVE_CORRUPT);
    vv_buffer_clear(&text);
}

TEST(gguf_value, must_have_a_known_type)
{
    struct vv_buffer text;
    put32(&f, 13);
    cr_assert_eq(take(&text), VARVE_TOO_NEW);
    cr_assert(strstr(f.error.message, "from 0 to 12, found 13"));
    vv_buffer_clear(&text);
}

TEST(gguf_value, is_empty_for_an_array)
{
    struct vv_buffer text;
    put32(&f, VV_GGUF_ARRAY);
    put32(&f, VV_GGUF_STRING);
    put64(&f, 2);
    put_string(&f, "a");
    put_string(&f, "");
    cr_assert_ok(take(&text), f.error);
    cr_assert_eq(text.size, 0);
    vv_buffer_clear(&text);

    put32(&f, VV_GGUF_ARRAY);
    put32(&f, VV_GGUF_FLOAT64);
    put64(&f, 3);
    put(&f, (char[24]){ 0 }, 24);
    cr_assert_ok(take(&text), f.error);
    vv_buffer_clear(&text);
}

TEST(gguf_value, skips_nested_arrays)
{
    struct vv_buffer text;
    put32(&f, VV_GGUF_ARRAY);
    put32(&f, VV_GGUF_ARRAY);
    put64(&f, 3);
    put32(&f, VV_GGUF_UINT16); /* two numbers */
    put64(&f, 2);
    put32(&f, 0x00020001);
    put32(&f, VV_GGUF_STRING); /* no string */
    put64(&f, 0);
    put32(&f, VV_GGUF_ARRAY); /* an array of a string */
    put64(&f, 1);
    put32(&f, VV_GGUF_STRING);
    put64(&f, 1);
    put_string(&f, "deep");
    cr_assert_ok(take(&text), f.error);
    cr_assert_eq(text.size, 0);
    vv_buffer_clear(&text);
}

static void put_nest(int depth)
{
    put32(&f, VV_GGUF_ARRAY);
    for (int i = 1; i < depth; i++) {
        put32(&f, VV_GGUF_ARRAY);
        put64(&f, 1);
    }
    put32(&f, VV_GGUF_UINT8);
    put64(&f, 0);
}

TEST(gguf_value, is_limited_to_eight_nested_arrays)
{
    struct vv_buffer text;
    put_nest(8);
    cr_assert_ok(take(&text), f.error);
    vv_buffer_clear(&text);
    put_nest(9);
    cr_assert_eq(take(&text), VARVE_LIMIT, "%s", f.error.message);
    vv_buffer_clear(&text);
    put_nest(1000);
    cr_assert_eq(take(&text), VARVE_LIMIT);
    vv_buffer_clear(&text);
}

TEST(gguf_value, is_truncated_at_the_end_of_the_file)
{
    static const uint32_t kinds[] = { VV_GGUF_STRING, VV_GGUF_ARRAY,
        VV_GGUF_UINT8 };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct vv_buffer text;
        put32(&f, VV_GGUF_ARRAY);
        put32(&f, kinds[i]);
        put64(&f, UINT64_MAX);
        cr_assert_eq(take(&text), VARVE_TRUNCATED);
        vv_buffer_clear(&text);
    }
}
