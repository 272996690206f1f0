/* test_remote_credentials.c - Tests the expiry of credentials.
 *
 * tests/remote tests their sources.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "remote_credentials.h"

#include <errno.h>
#include <stdlib.h>

#include "remote_identity.h"
#include "scripted_server.h"
#include "support/test.h"

#define A_SECOND ((int64_t)1000000000)

static int64_t moment; /* nanoseconds */

static int64_t now(void *state)
{
    (void)state;
    return moment;
}

static struct vv_system machine;
static struct vv_remote_settings settings = { .machine = &machine };

static void begin(struct scripted_server *s, const char *const *answers)
{
    char url[128];
    scripted_begin(s, answers);
    snprintf(url, sizeof url, "%s/keys", getenv("AWS_ENDPOINT_URL_S3"));
    setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url, 1);
    machine = vv_posix_system;
    machine.now = now;
    vv_remote_pool_start();
    vv_remote_credentials_use(&settings);
}

/* Looks up the keys some seconds before they expire. Returns the result and
 * sets the number of requests for keys. */
static int find(const struct scripted_server *s, int64_t seconds,
    unsigned *asked)
{
    struct vv_remote_profile p = { .key_id = NULL };
    moment = vv_remote_list_time("2026-10-01T10:00:00Z") - seconds * A_SECOND;
    int result = vv_remote_credentials_find(&p);
    if (!result) {
        cr_assert_str_eq(p.key_id, "A");
        cr_assert_str_eq(p.secret, "B");
        cr_assert_str_eq(p.token, "C");
    }
    *asked = 0;
    for (const char *at = s->asked; (at = strstr(at, "GET /keys")); at++)
        ++*asked;
    vv_remote_profile_clear(&p);
    return result;
}

TEST(remote_credentials, are_renewed_before_they_expire)
{
    static const char *const script[] = { "keys", "keys", "403 No", "403 No",
        "403 No", NULL };
    struct scripted_server s;
    unsigned asked;
    begin(&s, script);
    cr_assert_eq(find(&s, 3600, &asked), 0);
    cr_assert_eq(asked, 1);
    cr_assert_eq(find(&s, 601, &asked), 0);
    cr_assert_eq(asked, 1);
    cr_assert_eq(find(&s, 599, &asked), 0);
    cr_assert_eq(asked, 2);
    cr_assert_eq(find(&s, 598, &asked), 0); /* not again immediately */
    cr_assert_eq(asked, 2);
    cr_assert_eq(find(&s, 500, &asked), 0); /* refused: the old keys are used */
    cr_assert_eq(asked, 3);
    cr_assert_eq(find(&s, 490, &asked), 0);
    cr_assert_eq(asked, 3);
    cr_assert_eq(find(&s, 1, &asked), 0);
    cr_assert_eq(asked, 4);
    cr_assert_eq(find(&s, 0, &asked), -EACCES); /* they have expired */
    cr_assert_eq(asked, 5);
    scripted_end(&s);
}

TEST(remote_credentials, of_another_source_are_separate)
{
    static const char *const script[] = { "keys", "keys", NULL };
    struct scripted_server s;
    unsigned asked;
    char url[160];
    begin(&s, script);
    cr_assert_eq(find(&s, 3600, &asked), 0);
    snprintf(url, sizeof url, "%s2",
        getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI"));
    setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url, 1);
    cr_assert_eq(find(&s, 3600, &asked), 0);
    cr_assert_eq(asked, 2);
    scripted_end(&s);
}

TEST(remote_credentials, may_be_missing)
{
    struct vv_remote_profile p = { .key_id = NULL };
    unsetenv("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    unsetenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    machine = vv_posix_system;
    vv_remote_credentials_use(&settings);
    cr_assert_eq(vv_remote_credentials_find(&p), -ENOENT);
    vv_remote_profile_clear(&p);
}
