/* test_json_out.c - Tests JSON output.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "json_in.h"
#include "json_out.h"

static const struct {
    const char *text;
    size_t size;
    const char *string;
    const char *ascii;
} rows[] = {
    { "", 0, "\"\"", "\"\"" },
    { "a/b 'c'", 7, "\"a/b 'c'\"", "\"a/b 'c'\"" },
    { "\"\\", 2, "\"\\\"\\\\\"", "\"\\\"\\\\\"" },
    { "\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\"", "\"\\b\\f\\n\\r\\t\"" },
    { "\x01\x1f\0", 3, "\"\\u0001\\u001f\\u0000\"",
        "\"\\u0001\\u001f\\u0000\"" },
    { "\x7f", 1, "\"\x7f\"", "\"\\u007f\"" },
    { "\xc3\xa9", 2, "\"\xc3\xa9\"", "\"\\u00e9\"" },
    { "\xe2\x82\xac", 3, "\"\xe2\x82\xac\"", "\"\\u20ac\"" },
    { "\xf0\x9f\x98\x80", 4, "\"\xf0\x9f\x98\x80\"", "\"\\ud83d\\ude00\"" },
    { "\xf4\x8f\xbf\xbf", 4, "\"\xf4\x8f\xbf\xbf\"", "\"\\udbff\\udfff\"" },
};

enum { ROWS = sizeof rows / sizeof *rows };

TEST(json_out, escapes_special_characters)
{
    struct vv_buffer to;
    vv_buffer_init(&to, test_allocator());
    for (size_t i = 0; i < ROWS; i++) {
        to.size = 0;
        vv_json_add_string(&to, rows[i].text, rows[i].size);
        cr_assert_str_eq(vv_buffer_string(&to), rows[i].string);
        to.size = 0;
        vv_json_add_ascii(&to, rows[i].text, rows[i].size);
        cr_assert_str_eq(vv_buffer_string(&to), rows[i].ascii);
    }
    vv_buffer_clear(&to);
}

TEST(json_out, is_parsed_as_the_same_text)
{
    for (size_t i = 0; i < 2 * ROWS; i++) {
        varve_error error;
        struct vv_buffer to, back;
        struct vv_json_item item;
        vv_buffer_init(&to, test_allocator());
        vv_buffer_init(&back, test_allocator());
        (i % 2 ? vv_json_add_ascii : vv_json_add_string)(
            &to, rows[i / 2].text, rows[i / 2].size);
        struct vv_json_in in = { .path = "file", .error = &error,
            .bytes = (const char *)to.data, .size = to.size };
        cr_assert_ok(vv_json_expect(&in, VV_JSON_STRING, &item), error);
        vv_json_unescape(&item, &back);
        cr_assert_eq(back.size, rows[i / 2].size);
        if (back.size)
            cr_assert_eq(memcmp(back.data, rows[i / 2].text, back.size), 0);
        vv_buffer_clear(&to);
        vv_buffer_clear(&back);
    }
}

TEST(json_out, writes_numbers_in_decimal)
{
    struct vv_buffer to;
    vv_buffer_init(&to, test_allocator());
    vv_json_add_number(&to, 0);
    vv_buffer_add8(&to, ' ');
    vv_json_add_number(&to, UINT64_MAX);
    cr_assert_str_eq(vv_buffer_string(&to), "0 18446744073709551615");
    vv_buffer_clear(&to);
}
