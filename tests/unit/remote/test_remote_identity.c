/* test_remote_identity.c - Tests identities and times of objects.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_identity.h"

#include "support/test.h"

#define A_SECOND INT64_C(1000000000)
#define PATH "s3://bucket/run/a-1.varve"

TEST(remote_identity, has_a_serial_computed_from_path_etag_and_size)
{
    uint64_t one = vv_remote_serial(PATH, "\"abc\"", 7);
    cr_assert_eq(vv_remote_serial(PATH, "abc", 7), one);
    cr_assert_neq(one, 0);
    cr_assert_neq(vv_remote_serial(PATH, "abd", 7), one);
    cr_assert_neq(vv_remote_serial(PATH, "abc", 7 + (UINT64_C(1) << 56)), one);
    cr_assert_neq(vv_remote_serial("s3://bucket/run/a-2.varve", "abc", 7), one);
    cr_assert_neq(vv_remote_serial(PATH "a", "bc", 7), one);
    cr_assert_eq(vv_remote_serial("s3://bucket/run//", "", 0),
        vv_remote_serial("s3://bucket/run", "", 0));
}

TEST(remote_identity, has_the_same_time_from_headers_and_lists)
{
    static const struct {
        const char *header;
        const char *list;
        int64_t seconds;
    } times[] = {
        { "Thu, 01 Oct 2026 10:00:00 GMT", "2026-10-01T10:00:00.000Z",
            1790848800 },
        { "Thu, 01 Oct 2026 10:00:00 GMT", "2026-10-01T10:00:00.999Z",
            1790848800 },
        { "Thu, 01 Oct 2026 10:00:00 GMT", "2026-10-01T10:00:00Z",
            1790848800 },
        { "Thu, 01 Oct 2026 10:00:00 GMT", "2026-10-01T10:00:00.5+00:00",
            1790848800 },
        { "Thu, 29 Feb 2024 23:59:59 GMT", "2024-02-29T23:59:59.123456789Z",
            1709251199 },
        { "Thu, 01 Jan 1970 00:00:01 GMT", "1970-01-01T00:00:01.0Z", 1 },
        { "Sat, 01 Mar 2100 00:00:00 GMT", "2100-03-01T00:00:00.0Z",
            4107542400 },
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        cr_assert_eq(vv_remote_header_time(times[i].header),
            times[i].seconds * A_SECOND, "%s", times[i].header);
        cr_assert_eq(vv_remote_list_time(times[i].list),
            times[i].seconds * A_SECOND, "%s", times[i].list);
    }
}

TEST(remote_identity, has_no_time_of_another_form)
{
    static const char *const dates[] = { "", "2026-10-01", "yesterday",
        "2026-10-01T10:00:00", "2026-10-01T10:00:00.Z",
        "2026-10-01T10:00:00.1", "2026-10-01T10:00:00Zx",
        "2026-10-01T10:00:00+01:00", "2026-13-01T10:00:00Z",
        "2026-00-01T10:00:00Z", "2026-02-29T10:00:00Z",
        "2100-02-29T10:00:00Z", "2026-10-00T10:00:00Z",
        "2026-10-01T24:00:00Z", "2026-10-01T10:60:00Z",
        "2026-10-01T10:00:61Z", "1969-12-31T23:59:59Z",
        "9999-10-01T10:00:00Z", "2026-1a-01T10:00:00Z",
        "1970-01-01T00:00:00Z" };
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++)
        cr_assert_eq(vv_remote_list_time(dates[i]), 0, "%s", dates[i]);
    cr_assert_eq(vv_remote_header_time(""), 0);
    cr_assert_eq(vv_remote_header_time("yesterday"), 0);
    cr_assert_eq(vv_remote_header_time("Fri, 01 Oct 9999 10:00:00 GMT"), 0);
}
