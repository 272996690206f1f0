/* remote_list.c - Requests the pages of a list, and parses each.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "remote_identity.h"
#include "remote_url.h"
#include "remote_text.h"

enum { MOST_PAGES = 100000 };

static int fail_page(void)
{
    return vv_remote_fail(EIO, "the list of the bucket is malformed");
}

static int remote_list_fail_memory(void)
{
    return vv_remote_fail(ENOMEM, "no memory for a list");
}

static bool remote_list_is_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

/* The state of a listing. */
struct list {
    const char *prefix; /* common prefix of its keys */
    vv_each_name *each;
    void *user;
    /* path of the directory with its '/', followed by a name */
    struct vv_remote_text path;
    size_t path_size; /* without the name */
};

/* --- Objects ----------------------------------------------------------------
 */

static bool parse_size(const char *text, uint64_t *size)
{
    *size = 0;
    for (const char *at = text; *at; at++) {
        unsigned digit = (unsigned char)*at - (unsigned)'0';
        if (digit > 9 || *size > (UINT64_MAX - digit) / 10)
            return false;
        *size = *size * 10 + digit;
    }
    return *text != '\0';
}

/* Parses size, time and ETag of an object from its entry, in any order. Returns
 * false if one of them is missing or malformed. */
static bool parse_object(
    const char *entry, const char *path, struct vv_file_info *info)
{
    char size[32], date[VV_REMOTE_DATE_SIZE], tag[VV_REMOTE_TAG_SIZE];
    if (!vv_remote_copy_element(entry, "<Size>", size, sizeof size) ||
        !vv_remote_copy_element(entry, "<LastModified>", date, sizeof date) ||
        !vv_remote_copy_element(entry, "<ETag>", tag, sizeof tag))
        return false;
    *info = (struct vv_file_info){ .kind = VV_REGULAR_FILE,
        .modified = vv_remote_list_time(date),
        .device = VV_REMOTE_DEVICE };
    if (!parse_size(size, &info->size) || !info->modified || !*tag)
        return false;
    info->serial = vv_remote_serial(path, tag, info->size);
    return true;
}

/* Calls `each` with a key without the prefix, unless that is not a file name.
 * `entry` contains the elements of an object; NULL for a common prefix. */
static int remote_list_give(struct list *l, char *key, const char *entry)
{
    struct vv_file_info info = { .kind = VV_DIRECTORY,
        .device = VV_REMOTE_DEVICE };
    size_t prefix_size = strlen(l->prefix);
    if (!vv_remote_decode(key) || strncmp(key, l->prefix, prefix_size) != 0)
        return 0;
    char *name = key + prefix_size;
    size_t size = strlen(name);
    bool is_directory = size && name[size - 1] == '/';
    if (is_directory)
        name[size - 1] = '\0';
    if (!remote_list_is_name(name))
        return 0;
    l->path.size = l->path_size;
    vv_remote_add(&l->path, name);
    if (l->path.failed)
        return remote_list_fail_memory();
    info.serial = vv_remote_serial(l->path.at, "", 0);
    bool has_info =
        is_directory || (entry && parse_object(entry, l->path.at, &info));
    return l->each(l->user, name, has_info ? &info : NULL) ? 1 : 0;
}

static int each_object(struct list *l, char *page)
{
    char *entry;
    while ((entry = vv_remote_next_group(&page, "<Contents>"))) {
        char *copy = vv_remote_copy(entry), *at = entry;
        char *key = copy ? vv_remote_next_element(&at, "<Key>") : NULL;
        int result = !copy ? remote_list_fail_memory()
                     : key ? remote_list_give(l, key, copy)
                           : fail_page();
        free(copy);
        if (result)
            return result;
    }
    return strstr(page, "<Contents") || strstr(page, "<Key>") ? fail_page() : 0;
}

/* Lists the common prefixes of a page. The requested prefix is in an element of
 * the same name at the beginning of the page; it gives an empty name, which is
 * skipped. */
static int each_prefix(struct list *l, char *page)
{
    char *key;
    while ((key = vv_remote_next_element(&page, "<Prefix>"))) {
        int result = remote_list_give(l, key, NULL);
        if (result)
            return result;
    }
    return strstr(page, "<Prefix>") ? fail_page() : 0;
}

/* --- Pages ------------------------------------------------------------------
 */

static int find_continued(const char *page, char **continued)
{
    *continued = NULL;
    if (!strstr(page, "<IsTruncated>true</IsTruncated>"))
        return 0;
    char *copy = vv_remote_copy(page);
    char *at = copy;
    char *token =
        copy ? vv_remote_next_element(&at, "<NextContinuationToken>") : NULL;
    if (token && vv_remote_decode(token))
        *continued = vv_remote_copy(token);
    free(copy);
    return *continued ? 0 : fail_page();
}

static int parse_names(struct list *l, char *page)
{
    char *copy = vv_remote_copy(page);
    int result = copy ? each_object(l, copy) : remote_list_fail_memory();
    free(copy);
    return result ? result : each_prefix(l, page);
}

int vv_remote_parse_list(char *page, const char *directory, vv_each_name *each,
    void *user, char **continued)
{
    *continued = NULL;
    if (!strstr(page, "<ListBucketResult") ||
        !strstr(page, "</ListBucketResult>"))
        return fail_page();
    char *prefix = vv_remote_prefix_of(directory);
    struct list l = { .prefix = prefix, .each = each, .user = user };
    size_t size = strlen(directory);
    while (size && directory[size - 1] == '/')
        size--;
    vv_remote_add_bytes(&l.path, directory, size);
    vv_remote_add(&l.path, "/");
    l.path_size = l.path.size;
    int result = prefix && !l.path.failed ? find_continued(page, continued)
                                          : remote_list_fail_memory();
    if (!result)
        result = parse_names(&l, page);
    free(l.path.at);
    free(prefix);
    return result;
}

/* --- Lists ------------------------------------------------------------------
 */

static int get_page(const struct vv_remote_settings *settings,
    const char *directory, const char *continued, struct vv_remote_text *page)
{
    struct vv_remote_place place;
    int result = vv_remote_place_of_list(directory, continued, &place);
    if (!result)
        result =
            vv_remote_get_text(settings, &place, "</ListBucketResult>", page);
    vv_remote_place_clear(&place);
    return result;
}

int vv_remote_list(const struct vv_remote_settings *settings,
    const char *directory, vv_each_name *each, void *user)
{
    char *continued = NULL;
    int result = 0;
    for (int i = 0; !result && i < MOST_PAGES && (i == 0 || continued); i++) {
        struct vv_remote_text page = { .at = NULL };
        char *next = NULL;
        result = get_page(settings, directory, continued, &page);
        if (!result)
            result = page.at ? vv_remote_parse_list(
                                   page.at, directory, each, user, &next)
                             : fail_page();
        if (!result && next && continued && strcmp(next, continued) == 0)
            result = fail_page();
        free(page.at);
        free(continued);
        continued = next;
    }
    free(continued);
    return result > 0 ? 0 : result;
}
