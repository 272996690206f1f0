/* test_remote_lock_file.c - Tests lock objects.
 *
 * tests/remote/locks.py tests several owners with one store.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_lock_file.h"

#include "support/test.h"

TEST(remote_lock_file, is_recognized_by_its_name)
{
    cr_assert(vv_remote_is_lock_file("s3://bucket/run/.ckpt.lock"));
    cr_assert(vv_remote_is_lock_file("s3://bucket/.a.lock"));
    cr_assert_not(vv_remote_is_lock_file("s3://bucket/run/ckpt.lock"));
    cr_assert_not(vv_remote_is_lock_file("s3://bucket/run/.lock"));
    cr_assert_not(vv_remote_is_lock_file("s3://bucket/run/.ckpt.locks"));
    cr_assert_not(vv_remote_is_lock_file("s3://bucket/.ckpt.lock/a"));
    cr_assert_not(vv_remote_is_lock_file("s3://bucket/.ckpt.lock/"));
}
