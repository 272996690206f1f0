/* test_npy_decode.c - Tests decoding the data of NumPy arrays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "npy_decode.h"

#include "arrays.h"
#include "failure.h"

/* Data in memory whose reads may fail, or change between two passes. */
struct bytes {
    const unsigned char *first, *then;
    size_t size, at;
    int begins, ends;
    bool end_fails;
};

static varve_status begin(void *user, varve_error *error)
{
    struct bytes *b = user;
    (void)error;
    b->at = 0;
    b->begins++;
    return VARVE_OK;
}

static varve_status read_on(
    void *user, void *to, size_t size, varve_error *error)
{
    struct bytes *b = user;
    if (size > b->size - b->at)
        return vv_fail(error, VARVE_TRUNCATED, "x: too short");
    if (size > 0)
        memcpy(to, (b->begins > 1 && b->then ? b->then : b->first) + b->at,
            size);
    b->at += size;
    return VARVE_OK;
}

static varve_status end(void *user, varve_status status, varve_error *error)
{
    struct bytes *b = user;
    b->ends++;
    if (!status) {
        cr_assert_eq(b->at, b->size, "everything was read");
        if (b->end_fails)
            return vv_fail(error, VARVE_CORRUPT, "x: sum");
    }
    return status;
}

static struct vv_npy_data data_of(struct bytes *b)
{
    return (struct vv_npy_data){
        .user = b, .begin = begin, .read = read_on, .end = end
    };
}

/* Parses a header from its text; `descr` is not checked. */
static struct vv_npy_header header(const char *text)
{
    struct vv_npy_header h;
    varve_error error = { 0 };
    struct vv_buffer b = new_bytes();
    add_array(&b, 1, text, "", 0);
    cr_assert_ok(vv_npy_parse(&h, b.data, b.size, "x", &error), error);
    vv_buffer_clear(&b);
    return h;
}

static varve_status decode(const struct vv_npy_header *h, struct bytes *b,
    unsigned char *to, size_t size, varve_error *error)
{
    struct vv_npy_data data = data_of(b);
    varve_status status = vv_npy_decode(h, &data, "x", to, size, error);
    cr_assert_eq(b->begins, b->ends);
    return status;
}

static void check(const char *text, const void *from, size_t from_size,
    const void *expected, size_t size)
{
    unsigned char to[4096];
    struct vv_npy_header h = header(text);
    struct bytes b = { .first = from, .size = from_size };
    varve_error error = { 0 };
    memset(to, 0xee, sizeof to);
    cr_assert_ok(decode(&h, &b, to, size, &error), error);
    cr_assert_eq(memcmp(to, expected, size), 0, "%s", text);
    cr_assert_eq(to[size], 0xee, "%s", text);
}

TEST(npy_decode, reverses_bytes)
{
    check(DICTIONARY(">i2", "False", "(2,)"), "\1\2\3\4", 4, "\2\1\4\3", 4);
    check(DICTIONARY(">u4", "False", "()"), "\1\2\3\4", 4, "\4\3\2\1", 4);
    check(DICTIONARY(">c8", "False", "(1,)"), "\1\2\3\4\5\6\7\10", 8,
        "\4\3\2\1\10\7\6\5", 8);
    check(DICTIONARY("<i2", "False", "(2,)"), "\1\2\3\4", 4, "\1\2\3\4", 4);
    check(DICTIONARY("|V2", "False", "(2,)"), "\1\2\3\4", 4, "\1\2\3\4", 4);
    check(DICTIONARY(">V2", "True", "(1, 2)"), "\1\2\3\4", 4, "\1\2\3\4", 4);
    check(DICTIONARY(">i2", "False", "(0,)"), "", 0, "", 0);
}

TEST(npy_decode, reverses_the_order_of_dimensions)
{
    check(DICTIONARY("|u1", "True", "(2, 3)"), "adbecf", 6, "abcdef", 6);
    check(DICTIONARY("|u1", "True", "(2, 1, 3)"), "adbecf", 6, "abcdef", 6);
    check(DICTIONARY(">i2", "True", "(2, 2)"), "\0\1\0\3\0\2\0\4", 8,
        "\1\0\2\0\3\0\4\0", 8);
    check(DICTIONARY("|u1", "True", "(2, 2, 2)"), "aecgbfdh", 8, "abcdefgh",
        8);
    check(DICTIONARY("<i2", "True", "(2, 0)"), "", 0, "", 0);
}

/* More than the buffer for data. */
TEST(npy_decode, transposes_a_large_array)
{
    static uint32_t from[97 * 131], to[97 * 131];
    struct vv_npy_header h = header(DICTIONARY("<u4", "True", "(97, 131)"));
    struct bytes b = { .first = (unsigned char *)from, .size = sizeof from };
    varve_error error = { 0 };
    for (uint32_t k = 0; k < 131; k++) {
        for (uint32_t i = 0; i < 97; i++)
            from[k * 97 + i] = i * 131 + k;
    }
    cr_assert_ok(
        decode(&h, &b, (unsigned char *)to, sizeof to, &error), error);
    for (uint32_t i = 0; i < 97 * 131; i++)
        cr_assert_eq(vv_load32(&to[i]), vv_order32(i));
}

/* In `elements` bars separate the elements. */
static void check_strings(const char *text, const void *from, size_t from_size,
    const char *elements)
{
    unsigned char expected[4096], to[4096];
    struct vv_npy_header h = header(text);
    struct bytes b = { .first = from, .size = from_size };
    struct vv_npy_data data = data_of(&b);
    varve_error error = { 0 };
    uint64_t size;
    size_t at = 8 * h.count;
    for (uint64_t i = 0; i < h.count; i++) {
        size_t length = strcspn(elements, "|");
        vv_store64(expected + 8 * i, length);
        memcpy(expected + at, elements, length);
        at += length;
        elements += length + 1;
    }
    cr_assert_ok(vv_npy_strings_size(&h, &data, "x", &size, &error), error);
    cr_assert_eq(size, at, "%s: %d", text, (int)size);
    cr_assert_ok(decode(&h, &b, to, at, &error), error);
    cr_assert_eq(memcmp(to, expected, at), 0, "%s", text);
}

TEST(npy_decode, strips_trailing_nul_of_byte_strings)
{
    check_strings(DICTIONARY("|S3", "False", "(4,)"), "abc\0\0\0a\0\0ab\0", 12,
        "abc||a|ab");
    check_strings(DICTIONARY("|S2", "False", "()"), "x\0", 2, "x");
    check_strings(DICTIONARY("|S2", "False", "(0, 2)"), "", 0, "");
    check_strings(DICTIONARY("|S0", "False", "(2,)"), "", 0, "|");
    check_strings(DICTIONARY("|S2", "False", "(1,)"), "\xff\xfe", 2,
        "\xff\xfe");
}

TEST(npy_decode, keeps_nul_inside_strings)
{
    unsigned char to[12];
    struct vv_npy_header h = header(DICTIONARY("|S5", "False", "(1,)"));
    struct bytes b = { .first = (const void *)"\0a\0b\0", .size = 5 };
    varve_error error = { 0 };
    cr_assert_ok(decode(&h, &b, to, 12, &error), error);
    cr_assert_eq(vv_load64(to), 4);
    cr_assert_eq(memcmp(to + 8, "\0a\0b", 4), 0);
}

TEST(npy_decode, reverses_the_dimensions_of_strings)
{
    check_strings(DICTIONARY("|S2", "True", "(2, 2)"), "a\0ccbbd\0", 8,
        "a|bb|cc|d");
}

TEST(npy_decode, encodes_unicode_of_either_order)
{
    /* Characters of each width: A, U+00FC, U+65E5, U+1F600. */
    check_strings(DICTIONARY("<U2", "False", "(2,)"),
        "A\0\0\0\xfc\0\0\0\xe5\x65\0\0\0\xf6\1\0", 16,
        "A\xc3\xbc|\xe6\x97\xa5\xf0\x9f\x98\x80");
    check_strings(DICTIONARY(">U1", "False", "(2,)"), "\0\0\0A\0\1\xf6\0", 8,
        "A|\xf0\x9f\x98\x80");
    check_strings(DICTIONARY("<U1", "False", "(3,)"),
        "\x7f\0\0\0\x80\0\0\0\xff\x07\0\0", 12, "\x7f|\xc2\x80|\xdf\xbf");
    check_strings(DICTIONARY("<U1", "False", "(3,)"),
        "\0\x08\0\0\xff\xff\0\0\0\0\1\0", 12,
        "\xe0\xa0\x80|\xef\xbf\xbf|\xf0\x90\x80\x80");
    check_strings(DICTIONARY("<U1", "False", "(2,)"), "\xff\xff\x10\0\0\0\0\0",
        8, "\xf4\x8f\xbf\xbf|");
}

TEST(npy_decode, refuses_invalid_code_points)
{
    static const char *const wrong[] = {
        "\0\xd8\0\0", "\xff\xdf\0\0", "\0\0\x11\0", "\xff\xff\xff\xff",
    };
    struct vv_npy_header h = header(DICTIONARY("<U1", "False", "(1,)"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct bytes b = { .first = (const void *)wrong[i], .size = 4 };
        struct vv_npy_data data = data_of(&b);
        varve_error error = { 0 };
        uint64_t size;
        cr_assert_eq(vv_npy_strings_size(&h, &data, "x", &size, &error),
            VARVE_CORRUPT);
        cr_assert(strstr(error.message, "not a Unicode code point"));
        cr_assert_eq(b.begins, b.ends);
    }
}

TEST(npy_decode, returns_a_failure_while_reading_or_at_the_end)
{
    static const char *const texts[] = {
        DICTIONARY("<i2", "False", "(2,)"), DICTIONARY("<i2", "True", "(1, 2)"),
        DICTIONARY("|S2", "False", "(2,)"),
    };
    for (size_t i = 0; i < 3; i++) {
        unsigned char to[20];
        size_t size = i == 2 ? 20 : 4;
        struct vv_npy_header h = header(texts[i]);
        struct bytes b = { .first = (const void *)"abcd", .size = 3 };
        varve_error error = { 0 };
        cr_assert_eq(decode(&h, &b, to, size, &error), VARVE_TRUNCATED);
        b = (struct bytes){ .first = b.first, .size = 4, .end_fails = true };
        cr_assert_eq(decode(&h, &b, to, size, &error), VARVE_CORRUPT);
        cr_assert_str_eq(error.message, "x: sum");
    }
}

/* A file that changes while it is read must not cause an overrun. */
TEST(npy_decode, refuses_strings_changed_during_the_read)
{
    static const struct {
        const char *first, *then;
        size_t size; /* found when the file was opened */
    } cases[] = {
        { "a\0\0b\0\0", "a\0\0b\0\0", 19 }, /* grown */
        { "a\0\0b\0\0", "a\0\0b\0\0", 17 },
        { "a\0\0b\0\0", "a\0\0b\0\0", 15 },
        { "a\0\0b\0\0", "aa\0b\0\0", 18 },
        { "a\0\0b\0\0", "a\0\0bbb", 18 },
        { "aaab\0\0", "aa\0b\0\0", 20 },
        { "a\0\0b\0\0", "\0\0\0bb\0", 18 },
    };
    struct vv_npy_header h = header(DICTIONARY("|S3", "False", "(2,)"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char *to = malloc(cases[i].size); /* allocated exactly */
        struct bytes b = { .first = (const void *)cases[i].first,
            .then = (const void *)cases[i].then, .size = 6 };
        varve_error error = { 0 };
        cr_assert_eq(decode(&h, &b, to, cases[i].size, &error), VARVE_CORRUPT,
            "%zu", i);
        cr_assert(strstr(error.message, "since the file was opened"), "%s",
            error.message);
        free(to);
    }
    h = header(DICTIONARY("<i2", "False", "(2,)"));
    unsigned char to[8];
    struct bytes b = { .first = (const void *)"abcd", .size = 4 };
    cr_assert_eq(decode(&h, &b, to, 8, NULL), VARVE_CORRUPT);
}

/* A two-byte character replaces a one-byte one: not even one byte too many may
 * be written. */
TEST(npy_decode, writes_no_byte_too_many_for_changed_text)
{
    unsigned char to[11];
    struct vv_npy_header h = header(DICTIONARY("<U2", "False", "(1,)"));
    struct bytes b = { .first = (const void *)"a\0\0\0b\0\0\0",
        .then = (const void *)"a\0\0\0\xfc\0\0\0", .size = 8 };
    memset(to, 0xee, sizeof to);
    cr_assert_eq(decode(&h, &b, to, 10, NULL), VARVE_CORRUPT);
    cr_assert_eq(to[10], 0xee);
}
