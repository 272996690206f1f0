/* test_cbor_in.c - Tests reading CBOR items of the profile.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "cbor_in.h"

/* Returns an exact copy of the bytes, so that a sanitizer detects reads past
 * the end. */
static struct vv_cbor_in copy_of(
    const void *bytes, size_t size, varve_error *error)
{
    unsigned char *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    return (struct vv_cbor_in){ .path = "file", .base = 1000, .bytes = copy,
        .size = size, .error = error };
}

TEST(cbor_in, reads_one_item_at_a_time)
{
    static const unsigned char bytes[] =
        "\xa2\x00\x20\x18\x18\xd8\x46\x42" "ab\x82\x61z\xf5\xf4";
    varve_error error;
    struct vv_cbor_in in = copy_of(bytes, sizeof bytes - 1, &error);
    static const struct {
        enum vv_cbor_kind kind;
        uint64_t number;
    } rows[] = {
        { VV_CBOR_MAP, 2 }, { VV_CBOR_UNSIGNED, 0 }, { VV_CBOR_NEGATIVE, 0 },
        { VV_CBOR_UNSIGNED, 24 }, { VV_CBOR_TAG, 70 }, { VV_CBOR_BYTES, 2 },
        { VV_CBOR_ARRAY, 2 }, { VV_CBOR_TEXT, 1 }, { VV_CBOR_BOOLEAN, 1 },
        { VV_CBOR_BOOLEAN, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vv_cbor_item item;
        cr_assert_ok(vv_cbor_next(&in, &item), error);
        cr_assert_eq(item.kind, rows[i].kind, "row %zu", i);
        cr_assert_eq(item.number, rows[i].number, "row %zu", i);
        if (item.kind == VV_CBOR_TEXT)
            cr_assert_eq(item.bytes[0], 'z');
    }
    cr_assert_ok(vv_cbor_end(&in), error);
    free((void *)in.bytes);
}

TEST(cbor_in, refuses_items_outside_the_profile)
{
    static const struct {
        const char *what;
        const char *bytes;
        size_t size;
        const char *says;
    } rows[] = {
        { "nothing", "", 0, "the end" },
        { "a cut head", "\x19\x01", 2, "the end" },
        { "a cut string", "\x43" "ab", 3, "the end" },
        { "a string longer than any memory",
            "\x5b\xff\xff\xff\xff\xff\xff\xff\xff", 9, "the end" },
        { "0 in two bytes", "\x18\x00", 2, "shortest" },
        { "23 in two bytes", "\x18\x17", 2, "shortest" },
        { "255 in three bytes", "\x19\x00\xff", 3, "shortest" },
        { "65535 in five bytes", "\x1a\0\0\xff\xff", 5, "shortest" },
        { "2^32 - 1 in nine bytes", "\x1b\0\0\0\0\xff\xff\xff\xff", 9,
            "shortest" },
        { "-1 in two bytes", "\x38\x00", 2, "shortest" },
        { "a long head of bytes", "\x58\x01" "a", 3, "shortest" },
        { "a long head of text", "\x79\0\x01" "a", 4, "shortest" },
        { "a long head of an array", "\x98\x01\0", 3, "shortest" },
        { "a long head of a map", "\xb8\x01\0\0", 4, "shortest" },
        { "a long head of a tag", "\xd9\0\x40\0", 4, "shortest" },
        { "bytes without length", "\x5f\x41" "a\xff", 4, "profile" },
        { "text without length", "\x7f\x61" "a\xff", 4, "profile" },
        { "an array without length", "\x9f\xff", 2, "profile" },
        { "a map without length", "\xbf\xff", 2, "profile" },
        { "a break", "\xff", 1, "profile" },
        { "half", "\xf9\x3c\0", 3, "profile" },
        { "single", "\xfa\x3f\x80\0\0", 5, "profile" },
        { "double", "\xfb\x3f\xf0\0\0\0\0\0\0", 9, "profile" },
        { "null", "\xf6", 1, "profile" },
        { "undefined", "\xf7", 1, "profile" },
        { "a small tag", "\xc1\x00", 2, "profile" },
        { "a simple value", "\xf8\x20", 2, "invalid bytes" },
        { "a reserved head", "\x1c", 1, "invalid bytes" },
        { "text that is not UTF-8", "\x61\xff", 2, "UTF-8" },
        { "text with a NUL", "\x61\x00", 2, "UTF-8" },
        { "an array of more than is left", "\x82\0", 2, "no more items" },
        { "an array of 2^64 - 1", "\x9b\xff\xff\xff\xff\xff\xff\xff\xff\0", 10,
            "no more items" },
        { "a map of more than is left", "\xa2\0\0\0", 4, "no more items" },
        { "a map of 2^63", "\xbb\x80\0\0\0\0\0\0\0\0\0", 11, "no more items" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        varve_error error = { 0 };
        struct vv_cbor_item item;
        struct vv_cbor_in in = copy_of(rows[i].bytes, rows[i].size, &error);
        varve_status status = vv_cbor_next(&in, &item);
        cr_assert_eq(status, VARVE_CORRUPT, "%s", rows[i].what);
        cr_assert(strstr(error.message, "file: index at offset 1000: expected"),
            "%s: %s", rows[i].what, error.message);
        cr_assert(strstr(error.message, rows[i].says), "%s: %s", rows[i].what,
            error.message);
        cr_assert_eq(in.at, 0, "%s", rows[i].what);
        free((void *)in.bytes);
    }
}

TEST(cbor_in, reports_the_expected_kind)
{
    varve_error error;
    struct vv_cbor_item item;
    struct vv_cbor_in in = copy_of("\x00\x80", 2, &error);
    cr_assert_ok(vv_cbor_expect(&in, VV_CBOR_UNSIGNED, &item), error);
    cr_assert_eq(vv_cbor_expect(&in, VV_CBOR_MAP, &item), VARVE_CORRUPT);
    cr_assert_str_eq(error.message,
        "file: index at offset 1001: expected a map, found an array");
    free((void *)in.bytes);
}

TEST(cbor_in, skips_an_item_with_its_content)
{
    static const unsigned char bytes[] =
        "\x83\xa1\x01\x82\x20\xd8\x40\x41z\x80\x61" "b" "\x07";
    varve_error error;
    struct vv_cbor_item item;
    struct vv_cbor_in in = copy_of(bytes, sizeof bytes - 1, &error);
    cr_assert_ok(vv_cbor_skip(&in), error);
    cr_assert_eq(vv_cbor_end(&in), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "the end of the index"));
    cr_assert_ok(vv_cbor_next(&in, &item), error);
    cr_assert_eq(item.number, 7);
    cr_assert_ok(vv_cbor_end(&in), error);
    free((void *)in.bytes);
}

TEST(cbor_in, refuses_a_truncated_item_when_skipping)
{
    static const unsigned char bytes[] =
        "\x83\xa1\x01\x82\x20\xd8\x40\x41z\x80\x61" "b";
    for (size_t size = 0; size < sizeof bytes - 1; size++) {
        struct vv_cbor_in in = copy_of(bytes, size, NULL);
        cr_assert_eq(vv_cbor_skip(&in), VARVE_CORRUPT, "%zu bytes", size);
        free((void *)in.bytes);
    }
}

TEST(cbor_in, adds_up_the_remaining_items_of_nested_arrays)
{
    varve_error error;
    struct vv_cbor_in in = copy_of("\x82\x82\x00\x00", 4, &error);
    cr_assert_eq(vv_cbor_skip(&in), VARVE_CORRUPT);
    cr_assert_str_eq(error.message, "file: index at offset 1001: expected no "
        "more items than bytes left, found more");
    free((void *)in.bytes);
}

TEST(cbor_in, skips_deep_nesting_without_recursion)
{
    size_t size = 8 << 20;
    unsigned char *bytes = malloc(size);
    memset(bytes, 0x81, size); /* nested arrays of one element each */
    bytes[size - 1] = 0;
    varve_error error;
    struct vv_cbor_in in = { .path = "file", .bytes = bytes, .size = size,
        .error = &error };
    cr_assert_ok(vv_cbor_skip(&in), error);
    cr_assert_ok(vv_cbor_end(&in), error);
    free(bytes);
}

TEST(cbor_in, refuses_unsorted_maps_when_skipping)
{
    static const struct {
        const char *what;
        const char *bytes;
        size_t size;
        const char *says;
    } rows[] = {
        { "sorted", "\xa2\x01\x00\x02\x00", 5, NULL },
        { "the longer one is not the later one",
            "\xa2\x0a\x00\x19\x01\x00\x00", 7, NULL },
        { "a key that is an array", "\xa2\x81\x01\x00\x82\x00\x00\x00", 8,
            NULL },
        { "a map without pairs", "\x82\xa0\xa0", 3, NULL },
        { "not sorted", "\xa2\x02\x00\x01\x00", 5, "offset 1003" },
        { "twice the same", "\xa2\x01\x00\x01\x00", 5, "offset 1003" },
        { "within an array", "\x82\x00\xa2\x02\x00\x01\x00", 7,
            "offset 1005" },
        { "within a value", "\xa1\x00\xa2\x02\x00\x01\x00", 7,
            "offset 1005" },
        { "within a key", "\xa1\xa2\x02\x00\x01\x00\x00", 7,
            "offset 1004" },
        { "within a tag", "\xd8\x20\xa2\x02\x00\x01\x00", 7,
            "offset 1005" },
        { "a map behind one within", "\xa2\x02\xa1\x05\x00\x01\x00", 7,
            "offset 1005" },
        { "keys that are maps", "\xa2\xa1\x02\x00\x00\xa1\x01\x00\x00", 9,
            "offset 1005" },
        { "keys that are arrays", "\xa2\x82\x00\x00\x00\x81\x05\x00", 8,
            "offset 1005" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        varve_error error = { .message = "" };
        struct vv_cbor_in in = copy_of(rows[i].bytes, rows[i].size, &error);
        varve_status status = vv_cbor_skip(&in);
        cr_assert_eq(status, rows[i].says ? VARVE_CORRUPT : VARVE_OK, "%s: %s",
            rows[i].what, error.message);
        cr_assert(status || in.at == in.size, "%s", rows[i].what);
        cr_assert(!status || (strstr(error.message, rows[i].says) &&
                                 strstr(error.message, "out of order")),
            "%s: %s", rows[i].what, error.message);
        free((void *)in.bytes);
    }
}

TEST(cbor_in, limits_the_depth_of_skipped_maps)
{
    unsigned char bytes[2 * VV_CBOR_MOST_MAPS + 3];
    varve_error error;
    memset(bytes, 0, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes - 1; i += 2)
        bytes[i] = 0xa1; /* with the key 0 */
    struct vv_cbor_in in = copy_of(bytes, sizeof bytes, &error);
    cr_assert_eq(vv_cbor_skip(&in), VARVE_LIMIT);
    cr_assert(strstr(error.message, "more than 64 deep"), "%s", error.message);
    bytes[sizeof bytes - 3] = 0xa0;
    in.size = sizeof bytes - 2;
    memcpy((void *)in.bytes, bytes, in.size);
    in.at = 0;
    cr_assert_ok(vv_cbor_skip(&in), error);
    cr_assert_eq(in.at, in.size);
    free((void *)in.bytes);
}
