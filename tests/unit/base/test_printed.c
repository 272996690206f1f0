/* test_printed.c - Tests formatted printing into a buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "printed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "support/test.h"

static bool print(char *to, size_t room, const char *format, ...)
    VV_PRINTF(3, 4);

static bool print(char *to, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool fits = vv_print(to, room, format, arguments);
    va_end(arguments);
    return fits;
}

#define ALIKE(...)                                                             \
    do {                                                                       \
        char one[900], other[900];                                             \
        snprintf(other, sizeof other, __VA_ARGS__);                            \
        cr_assert(print(one, sizeof one, __VA_ARGS__));                        \
        cr_assert_str_eq(one, other);                                          \
    } while (0)

TEST(printed, equals_the_output_of_printf)
{
    ALIKE("%s", "");
    ALIKE("a%sb%%c", "text");
    ALIKE("%.*s|%.2s|%.0s|%.*s", 3, "abcdef", "abcdef", "abcdef", -1, "ab");
    ALIKE("%d %i %u %x %X %o %c", -1, 2, 3u, 255u, 255u, 8u, 'c');
    ALIKE("%ld %lu %lld %llu %zu %td", -1l, 2ul, -3ll, UINT64_MAX + 0ull,
        SIZE_MAX, (ptrdiff_t)-1);
    ALIKE("%" PRIu64 " %" PRId64 " %016" PRIx64, UINT64_MAX, INT64_MIN,
        (uint64_t)1 << 63);
    ALIKE("%jd %td %hd %hhu", (intmax_t)-1, (ptrdiff_t)-2, (short)3,
        (unsigned char)4);
    ALIKE("%g %.17g %f %5.1f %e %a", 0.1, 0.1, 1e300, 2.25, 3.0, 4.0);
    ALIKE("%p", (const void *)"text");
    ALIKE("%-5d|%5d|%05d|%+d", 1, 2, 3, 4);
}

TEST(printed, is_truncated_to_its_buffer)
{
    char text[8];
    cr_assert(print(text, sizeof text, "1234567"));
    cr_assert_not(print(text, sizeof text, "12345678"));
    cr_assert_str_eq(text, "1234567");
    cr_assert_not(print(text, sizeof text, "%d%s", 123, "abcdefgh"));
    cr_assert_str_eq(text, "123abcd");
}

TEST(printed, omits_query_and_user_of_url_arguments)
{
    char text[200];
    print(text, sizeof text, "%s: expected %d, found '%s'",
        "https://u:p@h/a?x='1 2", 1, "s3://u@b/k?z: y");
    cr_assert_str_eq(
        text, "https://h/a?: expected 1, found 's3://b/k?'");
    print(text, sizeof text, "%.*s", 11, "https://u@h?x");
    cr_assert_str_eq(text, "https://h");
    print(text, sizeof text, "%s", "https://h/a?: why it failed");
    cr_assert_str_eq(text, "https://h/a?: why it failed");
}
