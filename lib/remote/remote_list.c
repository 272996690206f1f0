/* remote_list.c - pages of a list, one after the other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "remote_words.h"
#include "remote_xml.h"

enum { MOST_PAGES = 100000 };

/* --- Pages ------------------------------------------------------------------
 */

static int fail_page(void)
{
    return vv_remote_fail(
        EIO, "expected the names in a bucket, found something else");
}

static bool is_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

/* The names of one kind of element inside another. */
static int each_of(char *page, const char *element, const char *prefix,
    vv_each_name *each, void *user)
{
    size_t prefix_size = strlen(prefix);
    char *text;
    while ((text = vv_remote_next_element(&page, element))) {
        if (!vv_remote_decode(text) || strncmp(text, prefix, prefix_size) != 0)
            continue;
        char *name = text + prefix_size;
        size_t size = strlen(name);
        if (size && name[size - 1] == '/')
            name[size - 1] = '\0';
        if (is_name(name) && each(user, name, NULL))
            return 1;
    }
    return strstr(page, element) ? fail_page() : 0;
}

/* The prefix that was asked for stands above all in an element that is called
 * as those of common prefixes are: it gives an empty name. */
int vv_remote_parse_list(char *page, const char *prefix, vv_each_name *each,
    void *user, char **continued)
{
    *continued = NULL;
    if (!strstr(page, "<ListBucketResult") ||
        !strstr(page, "</ListBucketResult>"))
        return fail_page();
    bool is_cut = strstr(page, "<IsTruncated>true</IsTruncated>") != NULL;
    char *copy = vv_remote_copy(page);
    char *at = copy;
    char *token =
        copy ? vv_remote_next_element(&at, "<NextContinuationToken>") : NULL;
    if (is_cut && token && vv_remote_decode(token))
        *continued = vv_remote_copy(token);
    free(copy);
    if (is_cut && !*continued)
        return fail_page();
    copy = vv_remote_copy(page);
    int result = copy ? each_of(copy, "<Key>", prefix, each, user)
                      : vv_remote_fail(ENOMEM, "no memory for a list");
    free(copy);
    return result ? result : each_of(page, "<Prefix>", prefix, each, user);
}

/* --- Lists ------------------------------------------------------------------
 */

static int get_page(const struct vv_remote_settings *settings,
    const char *directory, const char *continued, struct vv_remote_text *page)
{
    struct vv_remote_place place;
    int result = vv_remote_place_of_list(directory, continued, &place);
    if (!result)
        result = vv_remote_get_text(settings, &place, page);
    vv_remote_place_clear(&place);
    return result;
}

int vv_remote_list(const struct vv_remote_settings *settings,
    const char *directory, vv_each_name *each, void *user)
{
    char *prefix = vv_remote_prefix_of(directory);
    char *continued = NULL;
    int result = prefix ? 0 : vv_remote_fail(ENOMEM, "no memory for a path");
    for (int i = 0; !result && i < MOST_PAGES && (i == 0 || continued); i++) {
        struct vv_remote_text page = { .at = NULL };
        char *next = NULL;
        result = get_page(settings, directory, continued, &page);
        if (!result)
            result = page.at ? vv_remote_parse_list(
                                   page.at, prefix, each, user, &next)
                             : fail_page();
        if (!result && next && continued && strcmp(next, continued) == 0)
            result = fail_page();
        free(page.at);
        free(continued);
        continued = next;
    }
    free(continued);
    free(prefix);
    return result > 0 ? 0 : result;
}
