/* test_page_text.c - lib/checkpoint/page/page_text.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_world.h"

#include "page_text.h"
#include "support/sha256.h"

/* A page without data. */
static char *whole(void)
{
    size_t size = 1;
    for (int part = 0; part < 2; part++) {
        const char *const *p = part ? vv_page_behind : vv_page_before;
        for (; *p; p++)
            size += strlen(*p);
    }
    char *text = calloc(size, 1);
    cr_assert(text);
    char *end = text;
    for (int part = 0; part < 2; part++) {
        const char *const *p = part ? vv_page_behind : vv_page_before;
        for (; *p; p++)
            end += strlen(strcpy(end, *p));
    }
    return text;
}

static unsigned nibble(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* 'sha256-...' of a text, in base64. */
static void policy_of(const char *text, size_t size, char policy[64])
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char digest[SHA256_TEXT_SIZE + 2];
    sha256_text(text, size, digest);
    strcat(digest, "00"); /* a byte that fills up the last three */
    strcpy(policy, "'sha256-");
    char *end = policy + strlen(policy);
    for (int i = 0; i < 66; i += 6) {
        unsigned bits = 0;
        for (int k = 0; k < 6; k++)
            bits = bits << 4 | nibble(digest[i + k]);
        for (int k = 18; k >= 0; k -= 6)
            *end++ = letters[bits >> k & 63];
    }
    strcpy(end - 1, "='");
}

static void check_allowed(const char *page, const char *open, const char *close)
{
    char policy[64];
    const char *begin = strstr(page, open);
    cr_assert(begin);
    begin += strlen(open);
    const char *end = strstr(begin, close);
    cr_assert(end);
    policy_of(begin, (size_t)(end - begin), policy);
    cr_assert(strstr(page, policy), "%s is not in the policy", policy);
    cr_assert_null(strstr(end, open), "there are two of %s", open);
}

/* And asks nobody for anything. */
TEST(page_text, allows_its_own_script_and_style_alone)
{
    char *page = whole();
    check_allowed(page, "<script>", "</script>");
    check_allowed(page, "<style>", "</style>");
    cr_assert(strstr(page, "default-src 'none'; script-src 'sha256-"));
    cr_assert_null(strstr(page, "unsafe"));
    static const char *const doors[] = { "src=", "@import", "url(http",
        "fetch(", "XMLHttpRequest", "WebSocket", "import(", "eval(",
        "innerHTML", "insertAdjacentHTML", "document.write", "new Function" };
    for (size_t i = 0; i < sizeof doors / sizeof *doors; i++)
        cr_assert_null(strstr(page, doors[i]), "%s", doors[i]);
    free(page);
}

TEST(page_text, has_its_data_where_a_script_would_be)
{
    size_t count = 0;
    while (vv_page_before[count])
        count++;
    char last[256] = "";
    for (size_t i = count - 3; i < count; i++)
        strcat(last, vv_page_before[i]);
    static const char wanted[] =
        "<script type=\"application/json\" id=\"data\">";
    cr_assert_geq(strlen(last), strlen(wanted));
    cr_assert_str_eq(last + strlen(last) - strlen(wanted), wanted);
    cr_assert_eq(strncmp(vv_page_behind[0], "</script>", 9), 0);
}
