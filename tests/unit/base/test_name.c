/* test_name.c - Tests UTF-8 validation and the escaping of names in paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "name.h"

TEST(name, accepts_only_utf8)
{
    static const struct {
        const char *text;
        bool valid;
    } cases[] = {
        { "kernel", true },
        { "\x7f", true },
        { "\xc2\x80", true },     /* the first character of two bytes */
        { "\xdf\xbf", true },     /* the last one */
        { "\xe0\xa0\x80", true }, /* the first of three */
        { "\xed\x9f\xbf", true }, /* before the surrogates */
        { "\xee\x80\x80", true }, /* after them */
        { "\xef\xbf\xbf", true },
        { "\xf0\x90\x80\x80", true }, /* the first of four */
        { "\xf4\x8f\xbf\xbf", true }, /* the last of all */
        { "\x80", false },            /* begins with a continuation byte */
        { "\xbf", false },
        { "a\x80", false },
        { "\xc0\x80", false }, /* overlong */
        { "\xc1\xbf", false },
        { "\xe0\x9f\xbf", false },
        { "\xf0\x8f\xbf\xbf", false },
        { "\xed\xa0\x80", false }, /* surrogates */
        { "\xed\xbf\xbf", false },
        { "\xf4\x90\x80\x80", false }, /* too large */
        { "\xf5\x80\x80\x80", false },
        { "\xf8\x88\x80\x80\x80", false }, /* five bytes, and six */
        { "\xfc\x84\x80\x80\x80\x80", false },
        { "\xfe", false },
        { "\xff", false },
        { "\xc3", false }, /* truncated */
        { "\xe2\x82", false },
        { "\xf0\x9f\x98", false },
        { "\xc3"
          "a",
            false },
        { "\xe2\x82"
          "a",
            false },
        { "\xf0\x9f\x98"
          "a",
            false },
        { "\xe2"
          "a\x82",
            false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = strlen(cases[i].text);
        cr_assert_eq(vv_utf8_is_valid(cases[i].text, size), cases[i].valid,
            "case %zu", i);
        cr_assert_eq(vv_name_is_valid(cases[i].text, size), cases[i].valid);
    }
}

static size_t encode(uint32_t point, char *text)
{
    size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : 3;
    size += point >= 0x10000;
    static const unsigned char leads[] = { 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = size; i-- > 1; point >>= 6)
        text[i] = (char)(0x80 | (point & 0x3f));
    text[0] = (char)(leads[size - 1] | point);
    return size;
}

TEST(name, accepts_every_character_but_nul_and_surrogates)
{
    char text[4];
    for (uint32_t point = 0; point < 0x110000; point++) {
        bool valid = point != 0 && (point < 0xd800 || point > 0xdfff);
        size_t size = encode(point, text);
        if (vv_utf8_is_valid(text, size) != valid)
            cr_assert(false, "U+%04X", point);
    }
}

TEST(name, does_not_read_past_the_end)
{
    /* The following bytes would make them valid. */
    cr_assert_not(vv_utf8_is_valid("\xc3\xa4", 1));
    cr_assert_not(vv_utf8_is_valid("\xe2\x82\xac", 2));
    cr_assert_not(vv_utf8_is_valid("\xf0\x9f\x98\x80", 3));
    cr_assert(vv_utf8_is_valid("\xff", 0));
}

TEST(name, has_1_to_65535_bytes_and_no_nul)
{
    static char text[VARVE_MAX_NAME_SIZE + 1];
    memset(text, 'x', sizeof text);
    cr_assert_not(vv_name_is_valid("", 0));
    cr_assert(vv_name_is_valid(text, 1));
    cr_assert(vv_name_is_valid(text, VARVE_MAX_NAME_SIZE));
    cr_assert_not(vv_name_is_valid(text, VARVE_MAX_NAME_SIZE + 1));
    cr_assert_not(vv_name_is_valid("a\0b", 3));
}

TEST(name, is_escaped_in_a_path)
{
    static const char name[] = "a/b%c*d|e(f)g\n\x7f\xc3\xa4 -";
    struct vv_buffer path;
    vv_buffer_init(&path, test_allocator());
    vv_path_add_name(&path, name, sizeof name - 1);
    cr_assert_str_eq(vv_buffer_string(&path),
        "a%2Fb%25c%2Ad%7Ce%28f%29g%0A%7F\xc3\xa4 -");
    vv_buffer_clear(&path);
}

TEST(name, is_recovered_from_a_path)
{
    struct vv_buffer path, name;
    vv_buffer_init(&path, test_allocator());
    vv_buffer_init(&name, test_allocator());
    for (int c = 1; c < 256; c++) {
        char text[] = { 'a', (char)c, (char)(c % 255 + 1), '7' };
        path.size = 0;
        vv_path_add_name(&path, text, sizeof text);
        vv_buffer_add_string(&path, "/rest");
        const char *rest = vv_path_next_name(vv_buffer_string(&path), &name);
        cr_assert_str_eq(rest, "rest");
        cr_assert_eq(name.size, sizeof text);
        cr_assert_arr_eq(name.data, text, sizeof text);
    }
    vv_buffer_clear(&path);
    vv_buffer_clear(&name);
}

TEST(name, is_split_from_a_path)
{
    static const struct {
        const char *path;
        const char *name; /* NULL: the path is invalid */
        const char *rest;
    } cases[] = {
        { "a", "a", "" },
        { "a/", "a", "" },
        { "a/b/c", "a", "b/c" },
        { "%2f%2F", "//", "" },
        { "", NULL, NULL },
        { "/a", NULL, NULL },
        { "a%", NULL, NULL },
        { "a%2", NULL, NULL },
        { "a%2/b", NULL, NULL },
        { "a%g0", NULL, NULL },
        { "a%0g", NULL, NULL },
    };
    struct vv_buffer name;
    vv_buffer_init(&name, test_allocator());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *rest = vv_path_next_name(cases[i].path, &name);
        if (cases[i].name) {
            cr_assert_str_eq(rest, cases[i].rest);
            cr_assert_str_eq(vv_buffer_string(&name), cases[i].name);
        } else {
            cr_assert_null(rest, "case %zu", i);
        }
    }
    vv_buffer_clear(&name);
}

/* Names of every kind of unit that must not be split: a byte, characters of two
 * to four bytes, escaped bytes. */
static const char *const units[] = { "x", "\xc3\xa4", "\xe2\x82\xac",
    "\xf0\x9f\x98\x80", "%2F", "%0A", "/" };
enum { UNITS = sizeof units / sizeof *units };

TEST(name, is_shortened_at_whole_characters_and_escapes)
{
    struct vv_buffer path;
    vv_buffer_init(&path, test_allocator());
    for (size_t step = 1; step < UNITS; step++) {
        char whole[200] = "";
        size_t ends[40], count = 0; /* offsets at which a unit may begin */
        for (; count < 40; count++) {
            ends[count] = strlen(whole);
            strcat(whole, units[count * step % UNITS]);
        }
        size_t size = strlen(whole);
        for (size_t longest = 8; longest < size + 2; longest++) {
            path.size = 0;
            vv_buffer_add_string(&path, whole);
            vv_path_shorten(&path, longest);
            const char *text = vv_buffer_string(&path);
            if (size <= longest) {
                cr_assert_str_eq(text, whole);
                continue;
            }
            size_t i = 0;
            while (3 + size - ends[i] > longest)
                i++;
            cr_assert_arr_eq(text, "...", 3);
            cr_assert_str_eq(text + 3, whole + ends[i]);
        }
    }
    vv_buffer_clear(&path);
}

TEST(name, is_shortened_to_its_end_if_too_long_for_a_path)
{
    struct vv_buffer whole, end;
    vv_buffer_init(&whole, test_allocator());
    vv_buffer_init(&end, test_allocator());
    for (size_t step = 1; step < 4; step++) {
        char name[200] = "";
        for (size_t i = 0; i < 40; i++)
            strcat(name, units[i * step % 4]); /* those of one character */
        for (size_t longest = 8; longest < strlen(name) + 6; longest++) {
            whole.size = end.size = 0;
            vv_path_add_name(&whole, name, strlen(name));
            vv_path_add_end(&end, name, strlen(name), longest);
            cr_assert_leq(end.size, longest + 4);
            cr_assert(vv_utf8_is_valid((const char *)end.data, end.size));
            vv_path_shorten(&whole, longest);
            vv_path_shorten(&end, longest);
            cr_assert_str_eq(vv_buffer_string(&end), vv_buffer_string(&whole));
        }
    }
    vv_buffer_clear(&whole);
    vv_buffer_clear(&end);
}

TEST(name, may_be_a_decimal)
{
    static const uint64_t values[] = { 0, 1, 9, 10, 99, 100, 12345, UINT32_MAX,
        UINT64_C(9999999999999999999), UINT64_C(10000000000000000000),
        UINT64_MAX - 1, UINT64_MAX };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[24], expected[24];
        uint64_t value = ~values[i];
        snprintf(expected, sizeof expected, "%" PRIu64, values[i]);
        cr_assert_eq(vv_decimal(values[i], text), strlen(expected));
        cr_assert_str_eq(text, expected);
        cr_assert(vv_parse_decimal(text, strlen(text), &value));
        cr_assert_eq(value, values[i]);
    }
}

TEST(name, is_a_decimal_only_in_canonical_form)
{
    static const char *const texts[] = { "", "00", "01", "+1", "-1", " 1", "1 ",
        "1a", "a1", "0x1", "18446744073709551616", "18446744073709551620",
        "99999999999999999999", "100000000000000000000" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint64_t value = 7;
        cr_assert_not(vv_parse_decimal(texts[i], strlen(texts[i]), &value),
            "%s", texts[i]);
        cr_assert_eq(value, 7);
    }
}

TEST(name, is_checked_for_an_ending)
{
    cr_assert(vv_text_ends_in("a.npy", 5, ".npy"));
    cr_assert(vv_text_ends_in(".npy", 4, ".npy"));
    cr_assert(vv_text_ends_in("a.npyz", 5, ".npy"));
    cr_assert(vv_text_ends_in("a", 1, ""));
    cr_assert_not(vv_text_ends_in("npy", 3, ".npy"));
    cr_assert_not(vv_text_ends_in("a.npz", 5, ".npy"));
}

TEST(name, of_a_number_has_a_point_in_every_locale)
{
    static const char *const texts[][2] = { { "0,5", "0.5" }, { "0.5", "0.5" },
        { "-1,25e-03", "-1.25e-03" }, { "0\xd9\xab" "5", "0.5" },
        { "17", "17" }, { "-inf", "-inf" }, { "nan", "nan" }, { "", "" } };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[24];
        strcpy(text, texts[i][0]);
        cr_assert_str_eq(vv_set_point(text), texts[i][1]);
    }
}
