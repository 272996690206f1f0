/* test_remote_publish.c - Tests uploads: each request that completes one, and
 * the steps after each answer (tests/remote tests whole saves).
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "remote_publish.h"

#include <errno.h>

#include "scripted_server.h"
#include "support/test.h"

enum { A_PART = 100 };

#define ASIDE "s3://bucket/run/.a.0123456789abcdef.tmp"
#define PLACE "/bucket/run/a"

static const struct vv_remote_settings settings = {
    .machine = &vv_posix_system,
    .attempts = 2,
    .wait_ms = 1,
    .connect_timeout_ms = 3000,
    .stall_timeout_s = 30,
    .operation_timeout_s = 600,
    .part_size = A_PART,
};

/* Starts an upload of `size` bytes. */
static int begin(
    struct scripted_server *s, const char *const *script, size_t size)
{
    static const char bytes[10 * A_PART];
    cr_assert_null(vv_remote_pool_start());
    scripted_begin(s, script);
    int file = vv_remote_create(&settings, ASIDE);
    cr_assert_geq(file, 0);
    cr_assert_eq(
        vv_remote_write_at(file, bytes, size, 0), (int64_t)size);
    return file;
}

/* Publishes the upload after a sync, and aborts it after a failure. */
static void check_end(int file, bool is_new, int expected)
{
    int result = vv_remote_sync(file);
    cr_assert_eq(vv_remote_end(file), 0);
    if (!result)
        result =
            vv_remote_rename(&settings, ASIDE, "s3://bucket/run/a", is_new);
    cr_assert_eq(result, expected);
    if (result)
        cr_assert_eq(vv_remote_remove(&settings, ASIDE), 0);
    cr_assert_eq(vv_remote_remove(&settings, ASIDE), -ENOENT);
}

static void check_asked(struct scripted_server *s, const char *expected)
{
    scripted_end(s);
    cr_assert_str_eq(s->asked, expected);
}

TEST(remote_publish, uploads_a_small_file_in_one_request)
{
    static const char *const script[] = { "tag", NULL };
    struct scripted_server s;
    check_end(begin(&s, script, 50), false, 0);
    check_asked(&s, "PUT " PLACE "\n");
}

TEST(remote_publish, completes_an_upload_after_all_parts)
{
    static const char *const script[] = { "created", "tag", "tag", "tag",
        "together", "ours", NULL };
    struct scripted_server s;
    check_end(begin(&s, script, 3 * A_PART), false, 0);
    check_asked(&s,
        "POST " PLACE "?uploads=\n"
        "PUT " PLACE "?partNumber=2&uploadId=7\n"
        "PUT " PLACE "?partNumber=3&uploadId=7\n"
        "PUT " PLACE "?partNumber=1&uploadId=7\n"
        "POST " PLACE "?uploadId=7\n"
        "HEAD " PLACE "\n");
}

/* As in a save without a sync. */
TEST(remote_publish, completes_an_upload_without_a_sync)
{
    static const char *const script[] = { "created", "tag", "tag", "together",
        "ours", NULL };
    struct scripted_server s;
    int file = begin(&s, script, 2 * A_PART);
    cr_assert_eq(
        vv_remote_rename(&settings, ASIDE, "s3://bucket/run/a", false), 0);
    cr_assert_eq(vv_remote_sync(file), 0);
    cr_assert_eq(vv_remote_write_at(file, "a", 1, 0), -EBADF);
    cr_assert_eq(vv_remote_end(file), 0);
    check_asked(&s,
        "POST " PLACE "?uploads=\n"
        "PUT " PLACE "?partNumber=2&uploadId=7\n"
        "PUT " PLACE "?partNumber=1&uploadId=7\n"
        "POST " PLACE "?uploadId=7\n"
        "HEAD " PLACE "\n");
}

TEST(remote_publish, sends_a_changed_part_again)
{
    static const char *const script[] = { "created", "tag", "tag", "tag",
        "together", "ours", NULL };
    struct scripted_server s;
    int file = begin(&s, script, 2 * A_PART);
    cr_assert_eq(vv_remote_sync(file), 0);
    cr_assert_eq(vv_remote_write_at(file, "head", 4, 0), 4);
    s.size -= A_PART;
    check_end(file, false, 0);
    check_asked(&s,
        "POST " PLACE "?uploads=\n"
        "PUT " PLACE "?partNumber=2&uploadId=7\n"
        "PUT " PLACE "?partNumber=1&uploadId=7\n"
        "PUT " PLACE "?partNumber=1&uploadId=7\n"
        "POST " PLACE "?uploadId=7\n"
        "HEAD " PLACE "\n");
}

TEST(remote_publish, does_not_replace_an_existing_object)
{
    static const char *const small[] = { "412 No", "theirs", NULL };
    static const char *const large[] = { "created", "tag", "tag", "412 No",
        "theirs", "204 No", NULL };
    struct scripted_server s;
    check_end(begin(&s, small, 50), true, -EEXIST);
    check_asked(&s, "PUT " PLACE " new\nHEAD " PLACE "\n");
    check_end(begin(&s, large, 2 * A_PART), true, -EEXIST);
    check_asked(&s,
        "POST " PLACE "?uploads=\n"
        "PUT " PLACE "?partNumber=2&uploadId=7\n"
        "PUT " PLACE "?partNumber=1&uploadId=7\n"
        "POST " PLACE "?uploadId=7 new\n"
        "HEAD " PLACE "\n"
        "DELETE " PLACE "?uploadId=7\n");
}

TEST(remote_publish, checks_first_if_the_store_has_no_conditional_writes)
{
    static const char *const script[] = { "501 No", "404 No", "tag", NULL };
    struct scripted_server s;
    check_end(begin(&s, script, 50), true, 0);
    check_asked(
        &s, "PUT " PLACE " new\nHEAD " PLACE "\nPUT " PLACE "\n");
}

TEST(remote_publish, checks_the_token_before_it_completes_again)
{
    static const char *const ours[] = { "cut", "ours", NULL };
    static const char *const none[] = { "cut", "404 No", "tag", NULL };
    static const char *const large[] = { "created", "tag", "tag", "cut", "ours",
        NULL };
    struct scripted_server s;
    check_end(begin(&s, ours, 50), false, 0);
    check_asked(&s, "PUT " PLACE "\nHEAD " PLACE "\n");
    check_end(begin(&s, none, 50), true, 0);
    check_asked(&s,
        "PUT " PLACE " new\nHEAD " PLACE "\nPUT " PLACE " new\n");
    check_end(begin(&s, large, 2 * A_PART), true, 0);
    check_asked(&s,
        "POST " PLACE "?uploads=\n"
        "PUT " PLACE "?partNumber=2&uploadId=7\n"
        "PUT " PLACE "?partNumber=1&uploadId=7\n"
        "POST " PLACE "?uploadId=7 new\n"
        "HEAD " PLACE "\n");
}

TEST(remote_publish, reports_an_unknown_outcome)
{
    static const char *const script[] = { "cut", "cut", "cut", "cut", "cut",
        "cut", NULL };
    struct scripted_server s;
    check_end(begin(&s, script, 50), false, -EINPROGRESS);
    check_asked(&s,
        "PUT " PLACE "\nHEAD " PLACE "\nHEAD " PLACE "\n"
        "PUT " PLACE "\nHEAD " PLACE "\nHEAD " PLACE "\n");
}

/* The server is gone before the first completing request. */
TEST(remote_publish, reports_not_written_if_no_request_was_completed)
{
    static const char *const script[] = { NULL };
    struct scripted_server s;
    int file = begin(&s, script, 50);
    scripted_end(&s);
    check_end(file, false, -EIO);
    curl_easy_cleanup(vv_remote_pool_take()); /* which has descriptors */
}

TEST(remote_publish, detects_an_error_in_a_successful_response)
{
    static const char *const script[] = { "created", "tag", "tag", "error",
        "404 No", "error", "404 No", "204 No", NULL };
    struct scripted_server s;
    check_end(begin(&s, script, 2 * A_PART), false, -EIO);
    scripted_end(&s);
}

/* The object that was uploaded is removed, since it replaced none. */
TEST(remote_publish, detects_an_object_that_is_too_short)
{
    static const char *const script[] = { "created", "tag", "tag", "together",
        "ours", "404 No", "204 No", "204 No", NULL };
    struct scripted_server s;
    int file = begin(&s, script, 2 * A_PART);
    s.size--;
    check_end(file, true, -EIO);
    check_asked(&s,
        "POST " PLACE "?uploads=\n"
        "PUT " PLACE "?partNumber=2&uploadId=7\n"
        "PUT " PLACE "?partNumber=1&uploadId=7\n"
        "POST " PLACE "?uploadId=7 new\n"
        "HEAD " PLACE "\n"
        "POST " PLACE "?uploadId=7\n"
        "DELETE " PLACE "\n"
        "DELETE " PLACE "?uploadId=7\n");
}

TEST(remote_publish, compares_the_etag_of_each_part)
{
    static const char *const script[] = { "created", "other tag", "tag", "tag",
        "together", "ours", NULL };
    struct scripted_server s;
    int file = begin(&s, script, 2 * A_PART);
    cr_assert_eq(vv_remote_sync(file), 0);
    s.size -= A_PART; /* that were sent twice */
    check_end(file, false, 0);
    check_asked(&s,
        "POST " PLACE "?uploads=\n"
        "PUT " PLACE "?partNumber=2&uploadId=7\n"
        "PUT " PLACE "?partNumber=2&uploadId=7\n"
        "PUT " PLACE "?partNumber=1&uploadId=7\n"
        "POST " PLACE "?uploadId=7\n"
        "HEAD " PLACE "\n");
}

TEST(remote_publish, aborts_the_upload_after_a_failure)
{
    static const char *const script[] = { "created", "403 No", "204 No", NULL };
    struct scripted_server s;
    check_end(begin(&s, script, 2 * A_PART), false, -EACCES);
    check_asked(&s,
        "POST " PLACE "?uploads=\n"
        "PUT " PLACE "?partNumber=2&uploadId=7\n"
        "DELETE " PLACE "?uploadId=7\n");
}

TEST(remote_publish, refuses_other_names)
{
    static const char *const others[] = { "s3://bucket/a",
        "s3://bucket/.lock", "s3://bucket/.a.0123.tmp",
        "s3://bucket/a.0123456789abcdef.tmp",
        "s3://bucket/.0123456789abcdef.tmp" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_assert_eq(vv_remote_create(&settings, others[i]), -EOPNOTSUPP);
    cr_assert_eq(
        vv_remote_create(&settings, "https://host/.a.0123456789abcdef.tmp"),
        -EROFS);
    cr_assert_eq(vv_remote_rename(&settings, "s3://bucket/a", "s3://bucket/b",
                     false),
        -EOPNOTSUPP);
    cr_assert_eq(vv_remote_remove(&settings, "https://host/a"), -EROFS);
}
