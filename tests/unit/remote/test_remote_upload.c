/* test_remote_upload.c - Tests the buffering of uploads. There are no keys, so
 * nothing can be sent; tests/remote tests the requests.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* unsetenv */
#include "remote_upload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { A_PART = 100 };

static struct vv_remote_upload *begin(void)
{
    static const struct vv_remote_settings settings = {
        .machine = &vv_posix_system,
        .attempts = 1,
        .operation_timeout_s = 600,
        .part_size = A_PART,
    };
    setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere", 1);
    setenv("AWS_CONFIG_FILE", "/nowhere", 1);
    unsetenv("AWS_ACCESS_KEY_ID");
    struct vv_remote_upload *u =
        vv_remote_upload_new(&settings, "s3://bucket/a");
    cr_assert_not_null(u);
    return u;
}

static void check_tag(const struct vv_remote_upload *u, const char *bytes,
    size_t size)
{
    unsigned char md5[VV_REMOTE_MD5_SIZE];
    char digits[VV_REMOTE_MOST_TEXT], tag[VV_REMOTE_TAG_SIZE];
    vv_remote_md5(bytes, size, md5);
    vv_remote_hex(md5, sizeof md5, digits);
    vv_remote_upload_tag(u, tag);
    cr_assert_eq(strlen(tag), strlen(digits) + 2);
    cr_assert_eq(memcmp(tag + 1, digits, strlen(digits)), 0);
    cr_assert_eq(u->size, size);
}

TEST(remote_upload, accepts_bytes_in_any_order_and_fills_gaps_with_zeros)
{
    struct vv_remote_upload *u = begin();
    char expected[50] = { 0 };
    check_tag(u, expected, 0);
    cr_assert_eq(vv_remote_upload_write(u, "xyz", 3, 40), 3);
    memcpy(expected + 40, "xyz", 3);
    check_tag(u, expected, 43);
    cr_assert_eq(vv_remote_upload_write(u, "head", 4, 0), 4);
    memcpy(expected, "head", 4);
    check_tag(u, expected, 43);
    cr_assert_eq(vv_remote_upload_flush(u), 0);
    vv_remote_upload_free(u);
}

TEST(remote_upload, sends_a_part_when_the_next_one_begins)
{
    struct vv_remote_upload *u = begin();
    char bytes[A_PART] = "";
    for (unsigned i = 0; i < 2; i++)
        cr_assert_eq(
            vv_remote_upload_write(u, bytes, A_PART, i * A_PART), A_PART);
    cr_assert_eq((int)vv_remote_upload_write(u, bytes, 1, 2 * A_PART), -EACCES);
    cr_assert_eq(vv_remote_upload_flush(u), -EACCES);
    vv_remote_upload_abort(u);
    vv_remote_upload_free(u);
}

TEST(remote_upload, uses_larger_parts_for_large_files)
{
    struct vv_remote_upload *u = begin();
    vv_remote_upload_expect(u, 0);
    vv_remote_upload_expect(u, 9000 * A_PART);
    cr_assert_eq(u->part, A_PART);
    vv_remote_upload_expect(u, UINT64_C(5) << 40);
    cr_assert_leq(UINT64_C(5) << 40, (uint64_t)u->part * 9000);
    cr_assert_geq(UINT64_C(6) << 40, (uint64_t)u->part * 9000);
    vv_remote_upload_free(u);
}

TEST(remote_upload, can_be_renamed_before_anything_is_sent)
{
    struct vv_remote_upload *u = begin();
    cr_assert_eq(vv_remote_upload_call(u, "s3://bucket/b"), 0);
    cr_assert_str_eq(u->path, "s3://bucket/b");
    u->id = strdup("1");
    cr_assert_eq(vv_remote_upload_call(u, "s3://bucket/b"), 0);
    cr_assert_eq(vv_remote_upload_call(u, "s3://bucket/a"), -EXDEV);
    vv_remote_upload_free(u);
}

TEST(remote_upload, refuses_invalid_offsets)
{
    struct vv_remote_upload *u = begin();
    cr_assert_eq(vv_remote_upload_write(u, "a", 1, UINT64_MAX), -EFBIG);
    cr_assert_eq(vv_remote_upload_write(u, "a", 1, INT64_MAX), -EFBIG);
    vv_remote_upload_free(u);
}
