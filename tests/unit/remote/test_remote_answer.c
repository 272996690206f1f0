/* test_remote_answer.c - Tests the validation of HTTP responses.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_answer.h"

#include <errno.h>
#include <string.h>

#include "support/test.h"

/* Returns the parsed response. */
static struct vv_remote_answer answer(const char *text)
{
    struct vv_remote_answer a = { .code = 0 };
    while (*text) {
        const char *end = strchr(text, '\n') + 1;
        vv_remote_answer_line(&a, text, (size_t)(end - text));
        text = end;
    }
    return a;
}

#define PART "HTTP/1.1 206 Partial Content\r\n"
#define RANGE "Content-Range: bytes 100-199/1000\r\n"

static const struct vv_remote_validator mark = { .size = 1000, .tag = "\"a\"" };
static const struct vv_remote_range range = {
    .first = 100, .last = 199, .mark = &mark
};

/* Returns 0 for a valid response, else the errno. */
static int check(const char *text, const struct vv_remote_range *asked,
    enum vv_remote_verdict verdict)
{
    int number = 0;
    const char *why = NULL;
    const struct vv_remote_answer a = answer(text);
    cr_assert_eq(
        vv_remote_check_range(&a, asked, &number, &why), verdict, "%s", text);
    cr_assert_eq(!why, verdict == VV_REMOTE_GOOD);
    return number;
}

TEST(remote_answer, is_valid_if_it_matches_the_request)
{
    check(PART RANGE "ETag: \"a\"\r\n", &range, VV_REMOTE_GOOD);
    check("HTTP/2 206 \r\ncontent-range:bytes 100-199/1000\r\netag:  \"a\"  "
          "\r\n\r\n",
        &range, VV_REMOTE_GOOD);
}

TEST(remote_answer, of_another_range_is_refused)
{
    static const char *const ranges[] = { "",
        "Content-Range: bytes 101-200/1000\n",
        "Content-Range: bytes 100-198/1000\n",
        "Content-Range: bytes 100-199/*\n",
        "Content-Range: bytes 100-199/199\n",
        "Content-Range: bytes 100-199/1000x\n",
        "Content-Range: bytes -199/1000\n", "Content-Range: bytes */1000\n",
        "Content-Range: 100-199/1000\n",
        "Content-Range: bytes 18446744073709551716-199/1000\n" };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        char text[200] = "HTTP/1.1 206 Partial\nETag: \"a\"\n";
        cr_assert_eq(
            check(strcat(text, ranges[i]), &range, VV_REMOTE_AGAIN), EIO);
    }
}

TEST(remote_answer, of_another_version_is_refused_permanently)
{
    cr_assert_eq(check(PART RANGE "ETag: \"b\"\n", &range, VV_REMOTE_FINAL),
        ESTALE);
    cr_assert_eq(check(PART RANGE, &range, VV_REMOTE_FINAL), ESTALE);
    cr_assert_eq(check(PART "Content-Range: bytes 100-199/1001\n"
                            "ETag: \"a\"\n",
                     &range, VV_REMOTE_FINAL),
        ESTALE);
    cr_assert_eq(
        check("HTTP/1.1 412 Precondition Failed\n", &range, VV_REMOTE_FINAL),
        ESTALE);
    cr_assert_eq(check("HTTP/1.1 416 Range\n", &range, VV_REMOTE_FINAL),
        ESTALE);
}

TEST(remote_answer, without_etag_is_identified_by_its_date)
{
    const struct vv_remote_validator dated = { .size = 1000, .date = "Thu" };
    const struct vv_remote_range asked = {
        .first = 100, .last = 199, .mark = &dated
    };
    check(PART RANGE "Last-Modified: Thu\n", &asked, VV_REMOTE_GOOD);
    check(PART RANGE "Last-Modified: Fri\n", &asked, VV_REMOTE_FINAL);
}

TEST(remote_answer, of_a_whole_file_or_of_other_bytes_is_refused)
{
    cr_assert_eq(check("HTTP/1.1 200 OK\nETag: \"a\"\n", &range,
                     VV_REMOTE_AGAIN),
        EOPNOTSUPP);
    cr_assert_eq(check(PART RANGE "ETag: \"a\"\nContent-Encoding: gzip\n",
                     &range, VV_REMOTE_AGAIN),
        EIO);
}

TEST(remote_answer, that_opens_a_file_may_be_shorter)
{
    const struct vv_remote_range first = { .last = 65535 };
    check(PART "Content-Range: bytes 0-65535/100000\n", &first, VV_REMOTE_GOOD);
    check(PART "Content-Range: bytes 0-9/10\n", &first, VV_REMOTE_GOOD);
    check(PART "Content-Range: bytes 0-8/10\n", &first, VV_REMOTE_AGAIN);
    check("HTTP/1.1 416 Range\nContent-Range: bytes */0\n", &first,
        VV_REMOTE_GOOD);
    check("HTTP/1.1 200 OK\nContent-Length: 0\n", &first, VV_REMOTE_GOOD);
}

TEST(remote_answer, ignores_headers_before_a_redirect)
{
    struct vv_remote_answer a =
        answer("HTTP/1.1 302 Found\nETag: \"old\"\nContent-Length: 0\n"
               "HTTP/1.1 206 Partial\nETag: \"new\"\n");
    cr_assert_eq(a.code, 206);
    cr_assert_str_eq(a.mark.tag, "\"new\"");
    cr_assert(!a.is_empty);
}

TEST(remote_answer, ignores_invalid_header_lines)
{
    char line[2000];
    memset(line, 'a', sizeof line);
    struct vv_remote_answer a = answer(PART "no colon\n: nothing\n"
                                            "Retry-After: 7200\n");
    vv_remote_answer_line(&a, line, sizeof line);
    vv_remote_answer_line(&a, "ETag: \"\0\"", 9);
    vv_remote_answer_line(&a, "ETag: \"\x01\"", 9);
    cr_assert_str_eq(a.mark.tag, "");
    cr_assert_eq(a.retry_after, 60);
}

/* Returns the message of a refused response. */
static const char *said(
    const char *text, const char *body, enum vv_remote_verdict verdict, int is)
{
    static char why[256];
    int number = 0;
    const struct vv_remote_answer a = answer(text);
    cr_assert_eq(
        vv_remote_refusal(&a, body, &number, why, sizeof why), verdict);
    cr_assert_eq(number, is, "%s", why);
    return why;
}

TEST(remote_answer, reports_the_reason_of_an_error)
{
    cr_assert_str_eq(said("HTTP/1.1 404 No\n", "", VV_REMOTE_FINAL, ENOENT),
        "no such file (404)");
    cr_assert_str_eq(said("HTTP/1.1 404 No\n", "<Code>NoSuchBucket</Code>",
                         VV_REMOTE_FINAL, ENOENT),
        "no such bucket");
    cr_assert_str_eq(said("HTTP/1.1 403 No\n", "<Code>AccessDenied</Code>",
                         VV_REMOTE_FINAL, EACCES),
        "access denied (403 AccessDenied)");
    cr_assert_str_eq(
        said("HTTP/1.1 301 No\nx-amz-bucket-region: eu-west-3\n", "",
            VV_REMOTE_FINAL, EIO),
        "the bucket is in another region than the one that is set: eu-west-3");
    cr_assert_str_eq(said("HTTP/1.1 503 No\n", "<Code>SlowDown</Code>",
                         VV_REMOTE_AGAIN, EIO),
        "unexpected response 503 SlowDown");
    cr_assert_str_eq(said("HTTP/1.1 404 No\n", "<Code>NoSuchUpload</Code>",
                         VV_REMOTE_FINAL, EIO),
        "the store no longer has the uploaded parts");
    cr_assert_str_eq(said("HTTP/1.1 507 No\n", "<Code>XMinioStorageFull</Code>",
                         VV_REMOTE_FINAL, ENOSPC),
        "no space left in the store (507 XMinioStorageFull)");
    cr_assert_str_eq(said("HTTP/1.1 403 No\nDate: Thu\n",
                         "<Code>RequestTimeTooSkewed</Code>", VV_REMOTE_FINAL,
                         EACCES),
        "the clock of this machine differs from the server's, Thu, by too much "
        "(403)");
    said("HTTP/1.1 400 No\n", "<Code>BadDigest</Code>", VV_REMOTE_AGAIN, EIO);
    said("HTTP/1.1 501 No\n", "<Code>NotImplemented</Code>", VV_REMOTE_FINAL,
        EIO);
    said("HTTP/1.1 429 No\n", "", VV_REMOTE_AGAIN, EIO);
    said("HTTP/1.1 400 No\n", "<Code>RequestTimeout</Code>", VV_REMOTE_AGAIN,
        EIO);
    said("HTTP/1.1 400 No\n", "<Code>Bad", VV_REMOTE_FINAL, EIO);
}

TEST(remote_answer, has_the_token_of_an_object)
{
    const struct vv_remote_answer a =
        answer("HTTP/1.1 200 OK\nContent-Length: 12\n"
               "x-amz-meta-varve: 0123456789abcdef0123456789abcdef\n"
               "Date: Thu, 01 Oct 2026 10:00:00 GMT\n");
    cr_assert(a.has_length);
    cr_assert_eq(a.length, 12);
    cr_assert_str_eq(a.token, "0123456789abcdef0123456789abcdef");
    cr_assert_str_eq(a.clock, "Thu, 01 Oct 2026 10:00:00 GMT");
    cr_assert_not(a.is_keyed);
    cr_assert_not(answer("HTTP/1.1 200 OK\nContent-Length: 1x\n").has_length);
    cr_assert(answer("HTTP/1.1 200 OK\n"
                     "x-amz-server-side-encryption: aws:kms\n")
                  .is_keyed);
    cr_assert_not(answer("HTTP/1.1 200 OK\n"
                         "x-amz-server-side-encryption: AES256\n")
                      .is_keyed);
}

/* Data is checked against the headers, so trailers must not change them. */
TEST(remote_answer, ignores_trailers)
{
    check(PART RANGE "ETag: \"a\"\r\n\r\n"
                     "Content-Range: bytes 100-199/9000\r\nETag: \"b\"\r\n"
                     "HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n",
        &range, VV_REMOTE_GOOD);
    check("HTTP/1.1 302 Found\r\nLocation: x\r\n\r\n" PART RANGE
          "ETag: \"a\"\r\n\r\n",
        &range, VV_REMOTE_GOOD);
}
