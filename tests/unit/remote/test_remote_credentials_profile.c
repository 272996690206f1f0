/* test_remote_credentials_profile.c - Tests the selection of a profile.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "remote_credentials.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static void begin(void)
{
    static const char *const names[] = { "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION",
        "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3",
        "AWS_PROFILE", "AWS_CONFIG_FILE" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("HOME", test_path("home"), 1);
    setenv("AWS_SHARED_CREDENTIALS_FILE", test_path("credentials"), 1);
}

static void write_credentials(const char *text)
{
    test_write_file(test_path("credentials"), text, strlen(text));
}

TEST(remote_profile, is_taken_from_the_environment_first)
{
    struct vv_remote_profile p;
    begin();
    write_credentials("[default]\naws_access_key_id=F\n"
                      "aws_secret_access_key=G\nregion=there\n");
    setenv("AWS_ACCESS_KEY_ID", "A", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "B", 1);
    setenv("AWS_ENDPOINT_URL", "http://all", 1);
    setenv("AWS_ENDPOINT_URL_S3", "http://s3", 1);
    cr_assert_eq(vv_remote_profile_find(&p), 0);
    cr_assert_str_eq(p.key_id, "A");
    cr_assert_str_eq(p.secret, "B");
    cr_assert_str_eq(p.region, "there");
    cr_assert_str_eq(p.endpoint, "http://s3");
    cr_assert_null(p.token);
    vv_remote_profile_clear(&p);
}

TEST(remote_profile, is_the_section_with_its_name)
{
    struct vv_remote_profile p;
    begin();
    write_credentials("# aws_access_key_id = no\n[default]\n"
                      "aws_access_key_id = no\n[ tests ]\n"
                      "aws_access_key_id = A\r\n  aws_session_token = nested\n"
                      "aws_secret_access_key=B=\n"
                      "aws_session_token = T \n[other]\nregion = no\n");
    setenv("AWS_PROFILE", "tests", 1);
    cr_assert_eq(vv_remote_profile_find(&p), 0);
    cr_assert_str_eq(p.key_id, "A");
    cr_assert_str_eq(p.secret, "B=");
    cr_assert_str_eq(p.token, "T");
    cr_assert_str_eq(p.region, "us-east-1");
    vv_remote_profile_clear(&p);
}

TEST(remote_profile, uses_the_keys_of_one_source)
{
    struct vv_remote_profile p;
    begin();
    setenv("AWS_ACCESS_KEY_ID", "A", 1); /* incomplete keys are ignored */
    write_credentials("[default]\naws_access_key_id=F\n"
                      "aws_secret_access_key=G\n");
    cr_assert_eq(vv_remote_profile_find(&p), 0);
    cr_assert_str_eq(p.key_id, "F");
    cr_assert_str_eq(p.secret, "G");
    vv_remote_profile_clear(&p);
}

TEST(remote_profile, without_keys_or_region_fails)
{
    struct vv_remote_profile p;
    begin();
    cr_assert_eq(vv_remote_profile_find(&p), -EACCES);
    vv_remote_profile_clear(&p);
    setenv("AWS_ACCESS_KEY_ID", "A", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "B", 1);
    setenv("AWS_REGION", "evil.example/", 1);
    cr_assert_eq(vv_remote_profile_find(&p), -EINVAL);
    vv_remote_profile_clear(&p);
}
