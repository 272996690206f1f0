/* test_remote_text.c - Tests growing texts and percent-encoding.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_text.h"

#include <stdint.h>
#include <stdlib.h>

#include "support/test.h"

TEST(remote_text, grows)
{
    struct vv_remote_text t = { .at = NULL };
    for (int i = 0; i < 1000; i++)
        vv_remote_add(&t, "ab");
    cr_assert_eq(t.size, 2000);
    char *text = vv_remote_take(&t);
    cr_assert_eq(text[1999], 'b');
    cr_assert_eq(text[2000], '\0');
    cr_assert_null(t.at);
    free(text);
}

TEST(remote_text, that_is_empty_is_a_text_too)
{
    struct vv_remote_text t = { .at = NULL };
    char *text = vv_remote_take(&t);
    cr_assert_str_eq(text, "");
    free(text);
}

TEST(remote_text, encodes_all_that_means_something_in_a_url)
{
    struct vv_remote_text t = { .at = NULL };
    vv_remote_add_encoded(&t, "a/b c?&=#%+~\xc3\xa4", false);
    vv_remote_add_encoded(&t, "/", true);
    char *text = vv_remote_take(&t);
    cr_assert_str_eq(text, "a/b%20c%3F%26%3D%23%25%2B~%C3%A4%2F");
    free(text);
}

TEST(remote_text, that_has_no_memory_fails_and_stays_so)
{
    struct vv_remote_text t = { .at = NULL };
    vv_remote_add_bytes(&t, "", SIZE_MAX);
    vv_remote_add(&t, "a");
    cr_assert(t.failed);
    cr_assert_null(vv_remote_take(&t));
}
