/* test_json_in.c - Tests parsing JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_in.h"

/* Returns an exact copy of the bytes, so that a sanitizer detects reads past
 * the end. */
static struct vv_json_in copy_of(
    const char *text, size_t size, varve_error *error)
{
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    return (struct vv_json_in){ .path = "file", .base = 1000, .bytes = copy,
        .size = size, .error = error };
}

static struct vv_json_in text_of(const char *text, varve_error *error)
{
    return copy_of(text, strlen(text), error);
}

TEST(json_in, returns_one_item_at_a_time)
{
    varve_error error;
    struct vv_json_item item;
    bool more;
    struct vv_json_in in = text_of(
        " {\"a\" : [ 1 ,-2, true], \"b\":{} ,\"c\":\tnull\r\n}\n", &error);
    cr_assert_ok(vv_json_expect(&in, VV_JSON_OBJECT, &item), error);
    cr_assert_ok(vv_json_member(&in, &item, &more), error);
    cr_assert(more && vv_json_is(&item, "a"));
    cr_assert_ok(vv_json_expect(&in, VV_JSON_ARRAY, &item), error);
    static const enum vv_json_kind kinds[] = {
        VV_JSON_UNSIGNED, VV_JSON_NUMBER, VV_JSON_TRUE
    };
    for (int i = 0; i < 3; i++) {
        cr_assert_ok(vv_json_element(&in, &more), error);
        cr_assert(more);
        cr_assert_ok(vv_json_expect(&in, kinds[i], &item), error);
    }
    cr_assert_ok(vv_json_element(&in, &more), error);
    cr_assert_not(more);
    cr_assert_ok(vv_json_member(&in, &item, &more), error);
    cr_assert(more && vv_json_is(&item, "b"));
    cr_assert_ok(vv_json_expect(&in, VV_JSON_OBJECT, &item), error);
    cr_assert_ok(vv_json_member(&in, &item, &more), error);
    cr_assert_not(more);
    cr_assert_ok(vv_json_member(&in, &item, &more), error);
    cr_assert(more && vv_json_is(&item, "c"));
    cr_assert_ok(vv_json_expect(&in, VV_JSON_NULL, &item), error);
    cr_assert_ok(vv_json_member(&in, &item, &more), error);
    cr_assert_not(more);
    cr_assert_ok(vv_json_end(&in), error);
    free((void *)in.bytes);
}

/* Parses every value of a text by skipping it. */
static varve_status skip(const char *text, size_t size, varve_error *error)
{
    struct vv_json_in in = copy_of(text, size, error);
    varve_status status = vv_json_skip(&in);
    if (!status)
        status = vv_json_end(&in);
    free((void *)in.bytes);
    return status;
}

TEST(json_in, accepts_valid_json)
{
    static const char *const texts[] = {
        "{}", "[]", " [ ] ", "0", "-0", "-0.5e+10", "1E2", "1e-2", "10.01",
        "\"\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\\uD83D\\uDE00\"",
        "\"\x7f\"", "\"\xf0\x9f\x98\x80\"", "true", "false", "null",
        "[[[]],{\"a\":[{}]}]", "\t\r\n 1", "{\"\":1}",
        "123456789012345678901234567890",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        varve_error error;
        cr_assert_ok(skip(texts[i], strlen(texts[i]), &error), error);
    }
}

struct refusal {
    const char *text;
    const char *says;
};

static void check(const struct refusal *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        varve_error error = { 0 };
        cr_assert_eq(skip(rows[i].text, strlen(rows[i].text), &error),
            VARVE_CORRUPT, "%s", rows[i].text);
        cr_assert(strstr(error.message, rows[i].says), "%s: %s", rows[i].text,
            error.message);
        cr_assert(strstr(error.message, "file: JSON at offset 10"), "%s",
            error.message);
    }
}

#define CHECK(rows) check(rows, sizeof rows / sizeof *rows)

TEST(json_in, refuses_invalid_json)
{
    static const struct refusal rows[] = {
        { "", "at offset 1000: expected a value, found the end" },
        { "  ", "at offset 1002: expected a value, found the end" },
        { "\xef\xbb\xbf{}", "found byte 0xef" }, { "'a'", "found '''" },
        { "{", "expected the name of a member, found the end" },
        { "[", "expected a value, found the end" },
        { "[1", "expected ',' or ']', found the end" },
        { "[1}", "expected ',' or ']', found '}'" },
        { "{\"a\":1]", "expected ',' or '}', found ']'" },
        { "[1,]", "expected a value, found ']'" },
        { "[,1]", "expected a value, found ','" },
        { "[1 2]", "expected ',' or ']', found '2'" },
        { "{\"a\":1,}", "expected the name of a member, found '}'" },
        { "{,}", "the name of a member" }, { "{1:2}", "the name of a member" },
        { "{\"a\"}", "expected ':', found '}'" },
        { "{\"a\":}", "expected a value, found '}'" },
        { "]", "expected a value" }, { "1 2", "expected the end, found '2'" },
        { "{}x", "expected the end" }, { "tru", "expected a value" },
        { "True", "expected a value" }, { "nul", "expected a value" },
        { "NaN", "expected a value" }, { "Infinity", "expected a value" },
        { "truex", "expected the end" }, { "/**/1", "expected a value" },
    };
    CHECK(rows);
    varve_error error;
    cr_assert_eq(skip("1\0", 2, &error), VARVE_CORRUPT);
}

TEST(json_in, refuses_invalid_numbers)
{
    static const struct refusal rows[] = {
        { "01", "without leading zeros" }, { "-01", "without leading zeros" },
        { "00", "without leading zeros" }, { "+1", "expected a value" },
        { ".5", "expected a value" }, { "1.", "expected a digit" },
        { "1.e2", "expected a digit" }, { "1e", "expected a digit" },
        { "1e+", "expected a digit" }, { "-", "expected a digit" },
        { "0x10", "expected the end" }, { "1_0", "expected the end" },
    };
    CHECK(rows);
}

TEST(json_in, refuses_invalid_strings)
{
    static const struct refusal rows[] = {
        { "\"", "expected '\"', found the end" }, { "\"a", "found the end" },
        { "\"\t\"", "found byte 0x09" }, { "\"\n\"", "found byte 0x0a" },
        { "\"\x1f\"", "found byte 0x1f" }, { "\"\\x\"", "a valid escape" },
        { "\"\\\"", "expected '\"', found the end" },
        { "\"\\", "a valid escape" },
        { "\"\\u12\"", "a valid escape" }, { "\"\\u12g4\"", "a valid escape" },
        { "\"\\u", "a valid escape" }, { "\"\\U0041\"", "a valid escape" },
        { "\"\\ud800\"", "an unpaired surrogate" },
        { "\"\\udc00\"", "an unpaired surrogate" },
        { "\"\\udc00\\udc00\"", "an unpaired surrogate" },
        { "\"\\ud800x\"", "an unpaired surrogate" },
        { "\"\\ud800\\n\"", "an unpaired surrogate" },
        { "\"\\ud800\\ud800\"", "an unpaired surrogate" },
        { "\"\\ud800\\udc0", "an unpaired surrogate" },
        { "\"\x80\"", "expected a string in UTF-8" },
        { "\"\xc0\x80\"", "expected a string in UTF-8" },
        { "\"\xed\xa0\x80\"", "expected a string in UTF-8" },
        { "\"\xf4\x90\x80\x80\"", "expected a string in UTF-8" },
        { "\"\xe2\x82\"", "expected a string in UTF-8" },
        { "{\"\xff\":1}", "expected a string in UTF-8" },
    };
    CHECK(rows);
    varve_error error;
    cr_assert_eq(skip("\"\0\"", 3, &error), VARVE_CORRUPT);
}

TEST(json_in, refuses_every_truncation)
{
    static const char text[] =
        "{\"a\\u00e9\\ud83d\\ude00\":[1,-2.5e+3,true,false,null,{}],"
        "\"b\":\"\"}";
    varve_error error;
    cr_assert_ok(skip(text, sizeof text - 1, &error), error);
    for (size_t size = 0; size < sizeof text - 1; size++)
        cr_assert_eq(skip(text, size, &error), VARVE_CORRUPT, "%zu", size);
}

TEST(json_in, distinguishes_64_bit_integers_from_other_numbers)
{
    static const struct {
        const char *text;
        enum vv_json_kind kind;
        uint64_t number;
    } rows[] = {
        { "0", VV_JSON_UNSIGNED, 0 }, { "7", VV_JSON_UNSIGNED, 7 },
        { "18446744073709551615", VV_JSON_UNSIGNED, UINT64_MAX },
        { "18446744073709551616", VV_JSON_NUMBER, 0 },
        { "99999999999999999999999", VV_JSON_NUMBER, 0 },
        { "-1", VV_JSON_NUMBER, 0 }, { "-0", VV_JSON_NUMBER, 0 },
        { "1.0", VV_JSON_NUMBER, 0 }, { "1e3", VV_JSON_NUMBER, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        varve_error error;
        struct vv_json_item item;
        struct vv_json_in in = text_of(rows[i].text, &error);
        cr_assert_ok(vv_json_value(&in, &item), error);
        cr_assert_eq(item.kind, rows[i].kind, "%s", rows[i].text);
        if (item.kind == VV_JSON_UNSIGNED)
            cr_assert_eq(item.number, rows[i].number, "%s", rows[i].text);
        in.at = 0;
        if (item.kind == VV_JSON_NUMBER) {
            char says[128];
            snprintf(says, sizeof says,
                "expected an unsigned 64-bit integer, found %s",
                rows[i].text);
            cr_assert_eq(
                vv_json_expect(&in, VV_JSON_UNSIGNED, &item), VARVE_CORRUPT);
            cr_assert(strstr(error.message, says), "%s", error.message);
        }
        free((void *)in.bytes);
    }
}

TEST(json_in, reports_the_expected_kind)
{
    varve_error error;
    struct vv_json_item item;
    struct vv_json_in in = text_of("[]", &error);
    cr_assert_eq(vv_json_expect(&in, VV_JSON_STRING, &item), VARVE_CORRUPT);
    cr_assert_str_eq(error.message,
        "file: JSON at offset 1000: expected a string, found an array");
    free((void *)in.bytes);
}

TEST(json_in, unescapes_strings)
{
    varve_error error;
    struct vv_json_item item;
    struct vv_buffer to;
    vv_buffer_init(&to, test_allocator());
    struct vv_json_in in = text_of("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041"
                                   "\\u00e9\\u20AC\\ud83d\\uDE00\\u0000z\"",
        &error);
    static const char expected[] = "a\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac"
                                   "\xf0\x9f\x98\x80\0z";
    cr_assert_ok(vv_json_expect(&in, VV_JSON_STRING, &item), error);
    vv_json_unescape(&item, &to);
    cr_assert_eq(to.size, sizeof expected - 1);
    cr_assert_eq(memcmp(to.data, expected, to.size), 0);
    cr_assert_eq(item.length, to.size);
    cr_assert(item.has_nul);
    vv_buffer_clear(&to);
    free((void *)in.bytes);
}

TEST(json_in, compares_strings_independent_of_escapes)
{
    static const struct {
        const char *a, *b;
        int order;
    } rows[] = {
        { "a\"", "\\u0061\"", 0 }, { "\"", "\"", 0 }, { "\"", "a\"", -1 },
        { "b\"", "\\u0061\"", 1 }, { "ab\"", "a\"", 1 },
        { "\xc3\xa9\"", "\\u00E9\"", 0 },
        { "\\ud83d\\ude00\"", "\xf0\x9f\x98\x80\"", 0 },
        { "\\/\"", "/\"", 0 }, { "\\u0000\"", "\"", 1 },
        { "z\"", "\xc3\xa9\"", -1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(vv_json_compare(rows[i].a, rows[i].b), rows[i].order,
            "row %zu", i);
        cr_assert_eq(vv_json_compare(rows[i].b, rows[i].a), -rows[i].order,
            "row %zu", i);
    }
    cr_assert(vv_json_begins("a\\u002fb\"", "a/\""));
    cr_assert(vv_json_begins("a/\"", "a/\""));
    cr_assert_not(vv_json_begins("a\"", "a/\""));
    cr_assert_not(vv_json_begins("b/\"", "a/\""));
}

TEST(json_in, recognizes_a_name_with_any_escapes)
{
    varve_error error;
    struct vv_json_item item;
    struct vv_json_in in = text_of("\"dt\\u0079pe\"", &error);
    cr_assert_ok(vv_json_value(&in, &item), error);
    cr_assert(vv_json_is(&item, "dtype"));
    cr_assert_not(vv_json_is(&item, "dtyp"));
    cr_assert_not(vv_json_is(&item, "dtypes"));
    cr_assert_not(vv_json_is(&item, "dtyqe"));
    free((void *)in.bytes);
}

TEST(json_in, limits_the_depth_of_skipped_items)
{
    varve_error error;
    char text[2 * VV_JSON_SKIP_DEPTH + 3];
    for (size_t depth = VV_JSON_SKIP_DEPTH; depth < VV_JSON_SKIP_DEPTH + 2;
         depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        varve_status status = skip(text, 2 * depth, &error);
        cr_assert_eq(status,
            depth > VV_JSON_SKIP_DEPTH ? VARVE_LIMIT : VARVE_OK, "%zu", depth);
    }
    cr_assert(strstr(error.message, "more than 64 deep"), "%s", error.message);
}

TEST(json_in, shortens_messages_at_whole_characters)
{
    char text[128];
    struct vv_json_item item = { .text = text, .size = 10 };
    cr_assert_eq(vv_json_shown(&item), 10);
    item.size = sizeof text;
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    cr_assert_eq(vv_json_shown(&item), 100);
    memmove(text + 1, text, sizeof text - 1);
    text[0] = 'x';
    cr_assert_eq(vv_json_shown(&item), 99);
}

TEST(json_in, recognizes_the_beginning_of_an_object)
{
    static const struct {
        const char *text;
        bool begins;
    } cases[] = { { "{", true }, { " \t\r\n{}", true }, { "", false },
        { "  ", false }, { "[{", false }, { "\"{", false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_assert_eq(vv_json_begins_object(
            (const unsigned char *)cases[i].text, strlen(cases[i].text)),
            cases[i].begins, "%s", cases[i].text);
}
