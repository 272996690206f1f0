/* test_remote_url_error.c - Tests error texts of remote calls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_url.h"

#include <errno.h>

#include "support/test.h"

TEST(remote_error, are_returned_once_and_for_their_url)
{
    cr_assert_eq(vv_remote_fail(EIO, "why %d", 7), -EIO);
    cr_assert_str_eq(vv_remote_reason(EIO, "https://h/a"), "why 7");
    cr_assert_null(vv_remote_reason(EIO, "https://h/a"));
    vv_remote_fail(EIO, "why");
    cr_assert_null(vv_remote_reason(EACCES, "https://h/a"));
    vv_remote_fail(EIO, "why");
    cr_assert_null(vv_remote_reason(EIO, "/a"));
}
