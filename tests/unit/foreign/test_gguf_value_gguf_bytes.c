/* test_gguf_value_gguf_bytes.c - Tests sequential reading of GGUF files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gguf_sample.h"

static struct gguf_file f;
static struct vv_gguf_bytes in;

TEST(gguf_bytes, are_little_endian)
{
    uint32_t small;
    uint64_t large;
    put32(&f, 0x01020304);
    put64(&f, UINT64_C(0x0102030405060708));
    put(&f, "\x01\x02", 2);
    begin_bytes(&f, &in);
    cr_assert_ok(vv_gguf_take32(&in, &small, "it", &f.error), f.error);
    cr_assert_eq(small, 0x01020304);
    cr_assert_ok(vv_gguf_take64(&in, &large, "it", &f.error), f.error);
    cr_assert_eq(large, UINT64_C(0x0102030405060708));
    cr_assert_ok(vv_gguf_take_number(&in, 2, &large, "it", &f.error), f.error);
    cr_assert_eq(large, 0x0201);
    cr_assert_eq(in.at, in.size);
    end_bytes(&f);
}

TEST(gguf_bytes, advance_the_window)
{
    uint64_t number;
    for (uint64_t i = 0; i < 1500; i++)
        put_number(&f, i, 7); /* so that numbers straddle two windows */
    begin_bytes(&f, &in);
    for (uint64_t i = 0; i < 1500; i++) {
        cr_assert_ok(
            vv_gguf_take_number(&in, 7, &number, "it", &f.error), f.error);
        cr_assert_eq(number, i);
    }
    in.at = 700; /* backwards as well */
    cr_assert_ok(
        vv_gguf_take_number(&in, 7, &number, "it", &f.error), f.error);
    cr_assert_eq(number, 100);
    end_bytes(&f);
}

TEST(gguf_bytes, end_at_the_end_of_the_file)
{
    uint32_t number;
    put(&f, "abc", 3);
    begin_bytes(&f, &in);
    cr_assert_eq(vv_gguf_take32(&in, &number, "a size", &f.error),
        VARVE_TRUNCATED);
    cr_assert_str_eq(f.error.message,
        GGUF_PATH ": offset 0: expected a size of 4 bytes, only 3 are left in "
                  "the file");
    cr_assert_eq(in.at, 0);
    end_bytes(&f);
}

TEST(gguf_bytes, skip_only_existing_bytes)
{
    put(&f, "0123456789", 10);
    begin_bytes(&f, &in);
    cr_assert_ok(vv_gguf_skip(&in, 2, 4, "it", &f.error), f.error);
    cr_assert_eq(in.at, 8);
    cr_assert_eq(vv_gguf_skip(&in, 2, 2, "it", &f.error), VARVE_TRUNCATED);
    /* 2^64 bytes, which is 0 in 64 bits */
    cr_assert_eq(vv_gguf_skip(&in, UINT64_C(1) << 62, 4, "it", &f.error),
        VARVE_TRUNCATED);
    cr_assert_eq(in.at, 8);
    end_bytes(&f);
}

TEST(gguf_bytes, read_strings_of_any_size)
{
    struct vv_buffer text;
    char large[9000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    vv_buffer_init(&text, test_allocator());
    put_string(&f, "");
    put_string(&f, large);
    put_string(&f, "skipped");
    put64(&f, UINT64_MAX);
    begin_bytes(&f, &in);
    cr_assert_ok(vv_gguf_take_string(&in, &text, "it", &f.error), f.error);
    cr_assert_eq(text.size, 0);
    cr_assert_ok(vv_gguf_take_string(&in, &text, "it", &f.error), f.error);
    cr_assert_str_eq(vv_buffer_string(&text), large);
    cr_assert_ok(vv_gguf_take_string(&in, NULL, "it", &f.error), f.error);
    cr_assert_eq(in.size - in.at, 8);
    cr_assert_eq(
        vv_gguf_take_string(&in, &text, "it", &f.error), VARVE_TRUNCATED);
    vv_buffer_clear(&text);
    end_bytes(&f);
}
