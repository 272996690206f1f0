/* test_index_out_cbor.c - Tests writing CBOR.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "index_out.h"

struct taken {
    unsigned char bytes[64];
    size_t size;
    unsigned calls;
    unsigned failing_call; /* 0: none */
};

static varve_status take(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    struct taken *t = user;
    (void)error;
    if (++t->calls == t->failing_call)
        return VARVE_NO_SPACE;
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    return VARVE_OK;
}

#define ASSERT_TAKEN(t, text)                                                  \
    do {                                                                       \
        cr_assert_eq((t).size, sizeof(text) - 1);                              \
        cr_assert_arr_eq((t).bytes, text, sizeof(text) - 1);                   \
        (t).size = 0;                                                          \
    } while (0)

/* The examples of RFC 8949, appendix A. */
TEST(cbor_out, writes_integers_with_the_shortest_header)
{
    struct taken t = { .size = 0 };
    struct vv_cbor_out out = { .sink = take, .user = &t };
    static const struct {
        int64_t value;
        const char *text;
        size_t size;
    } rows[] = {
        { 0, "\x00", 1 }, { 23, "\x17", 1 }, { 24, "\x18\x18", 2 },
        { 255, "\x18\xff", 2 }, { 256, "\x19\x01\x00", 3 },
        { 65535, "\x19\xff\xff", 3 }, { 65536, "\x1a\0\1\0\0", 5 },
        { 4294967295, "\x1a\xff\xff\xff\xff", 5 },
        { 4294967296, "\x1b\0\0\0\1\0\0\0\0", 9 },
        { INT64_MAX, "\x1b\x7f\xff\xff\xff\xff\xff\xff\xff", 9 },
        { -1, "\x20", 1 }, { -24, "\x37", 1 }, { -25, "\x38\x18", 2 },
        { -257, "\x39\x01\x00", 3 },
        { INT64_MIN, "\x3b\x7f\xff\xff\xff\xff\xff\xff\xff", 9 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        t.size = 0;
        vv_cbor_put_integer(&out, rows[i].value);
        cr_assert_eq(t.size, rows[i].size, "row %zu", i);
        cr_assert_arr_eq(t.bytes, rows[i].text, rows[i].size, "row %zu", i);
    }
    t.size = 0;
    vv_cbor_put_unsigned(&out, UINT64_MAX);
    ASSERT_TAKEN(t, "\x1b\xff\xff\xff\xff\xff\xff\xff\xff");
}

TEST(cbor_out, writes_strings_maps_tags_and_booleans)
{
    struct taken t = { .size = 0 };
    struct vv_cbor_out out = { .sink = take, .user = &t };
    vv_cbor_put_map(&out, 2);
    vv_cbor_put_text(&out, "ab", 2);
    vv_cbor_put_boolean(&out, true);
    vv_cbor_put_text(&out, "", 0);
    vv_cbor_put_tag(&out, 64);
    vv_cbor_put_bytes(&out, "\1\2\3", 3);
    ASSERT_TAKEN(t, "\xa2\x62" "ab\xf5\x60\xd8\x40\x43\1\2\3");
    vv_cbor_put_boolean(&out, false);
    ASSERT_TAKEN(t, "\xf4");
}

TEST(cbor_out, keeps_the_first_failure_and_writes_nothing_more)
{
    struct taken t = { .failing_call = 2 };
    struct vv_cbor_out out = { .sink = take, .user = &t };
    /* the head is written, the bytes are not */
    vv_cbor_put_bytes(&out, "abc", 3);
    vv_cbor_put_unsigned(&out, 1);
    cr_assert_eq(out.status, VARVE_NO_SPACE);
    cr_assert_eq(t.calls, 2);
    ASSERT_TAKEN(t, "\x43");
}
