/* test_remote_url.c - Tests converting paths to URLs.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "remote_url.h"

#include <errno.h>
#include <stdlib.h>

#include "support/test.h"

static void begin(const char *endpoint)
{
    setenv("AWS_ACCESS_KEY_ID", "A", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "B", 1);
    setenv("AWS_REGION", "eu-west-3", 1);
    setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere", 1);
    setenv("AWS_CONFIG_FILE", "/nowhere", 1);
    unsetenv("AWS_ENDPOINT_URL_S3");
    if (endpoint)
        setenv("AWS_ENDPOINT_URL", endpoint, 1);
    else
        unsetenv("AWS_ENDPOINT_URL");
}

static void leads_to(const char *path, const char *url, bool is_secure)
{
    struct vv_remote_place place;
    cr_assert_eq(vv_remote_place_of(path, &place), 0, "%s", path);
    cr_assert_str_eq(place.url, url);
    cr_assert_eq(place.is_secure, is_secure);
    vv_remote_place_clear(&place);
}

TEST(remote_url, has_a_scheme_or_is_a_local_path)
{
    cr_assert_eq(vv_remote_scheme_of("https://h/a"), VV_REMOTE_HTTPS);
    cr_assert_eq(vv_remote_scheme_of("http://h/a"), VV_REMOTE_HTTP);
    cr_assert_eq(vv_remote_scheme_of("s3://b/k"), VV_REMOTE_S3);
    cr_assert_eq(vv_remote_scheme_of("/s3://b/k"), VV_REMOTE_NONE);
    cr_assert_eq(vv_remote_scheme_of("ftp://h/a"), VV_REMOTE_NONE);
    cr_assert_eq(vv_remote_scheme_of("s3:/b"), VV_REMOTE_NONE);
}

TEST(remote_url, of_an_http_url_is_unchanged)
{
    leads_to("https://h:8/a?b=c", "https://h:8/a?b=c", true);
    leads_to("http://h/a", "http://h/a", false);
}

TEST(remote_url, of_an_object_is_at_amazon_or_an_endpoint)
{
    begin(NULL);
    leads_to("s3://bucket/run/a b.varve",
        "https://bucket.s3.eu-west-3.amazonaws.com/run/a%20b.varve", true);
    leads_to("s3://my.bucket/a",
        "https://s3.eu-west-3.amazonaws.com/my.bucket/a", true);
    begin("http://127.0.0.1:9000/");
    leads_to("s3://bucket/a", "http://127.0.0.1:9000/bucket/a", false);
}

TEST(remote_url, of_a_list_has_its_query_in_signing_order)
{
    struct vv_remote_place place;
    begin("https://h");
    cr_assert_eq(vv_remote_place_of_list("s3://bucket/run//", "a/b=", &place),
        0);
    cr_assert_str_eq(place.url,
        "https://h/bucket/?continuation-token=a%2Fb%3D&delimiter=%2F&"
        "list-type=2&prefix=run%2F");
    cr_assert(place.is_signed);
    cr_assert_str_eq(place.signing, "aws:amz:eu-west-3:s3");
    vv_remote_place_clear(&place);
}

TEST(remote_url, of_a_directory_has_its_prefix)
{
    static const char *const pairs[][2] = { { "s3://bucket", "" },
        { "s3://bucket/", "" }, { "s3://bucket/a/b", "a/b/" },
        { "s3://bucket/a/b//", "a/b/" } };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *prefix = vv_remote_prefix_of(pairs[i][0]);
        cr_assert_str_eq(prefix, pairs[i][1]);
        free(prefix);
    }
}

static void is_refused(const char *path, int number)
{
    struct vv_remote_place place;
    cr_assert_eq(vv_remote_place_of(path, &place), -number, "%s", path);
    vv_remote_place_clear(&place);
}

TEST(remote_url, that_is_invalid_is_refused)
{
    begin(NULL);
    is_refused("https:///a", EINVAL);
    is_refused("https://me:secret@h/a", EINVAL);
    is_refused("https://h/a\r\nX: y", EINVAL);
    is_refused("s3://bucket", EISDIR);
    is_refused("s3://bucket/a/", EISDIR);
    is_refused("s3://b/a", EINVAL);
    is_refused("s3://evil.example?/a", EINVAL);
    begin("ftp://h");
    is_refused("s3://bucket/a", EINVAL);
    begin("https://me@h");
    is_refused("s3://bucket/a", EINVAL);
}
