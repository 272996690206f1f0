/* remote_answer.c - Parses response headers, strictly if the interpretation of
 * bytes depends on them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_answer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* --- Header lines -----------------------------------------------------------
 */

/* Parses an unsigned number. Returns its end, or NULL. */
static const char *parse_number(const char *text, uint64_t *number)
{
    const char *at = text;
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return NULL;
        *number = *number * 10 + digit;
    }
    return at > text ? at : NULL;
}

/* Parses "bytes 0-99/1000" or, for a range beyond the end, "bytes *"
 * "/1000". */
static void parse_range(struct vv_remote_answer *a, const char *value)
{
    uint64_t size;
    bool has_range = false;
    if (strncasecmp(value, "bytes ", 6) != 0)
        return;
    const char *at = value + 6;
    if (*at == '*') {
        at++;
    } else {
        has_range = (at = parse_number(at, &a->first)) && *at++ == '-' &&
                    (at = parse_number(at, &a->last));
        if (!has_range)
            return;
    }
    if (*at != '/' || !(at = parse_number(at + 1, &size)) || *at)
        return;
    a->has_range = has_range;
    a->has_size = true;
    a->mark.size = size;
}

/* Copies a value. A value that is too long or unprintable counts as missing. */
static void remote_answer_copy(char *to, size_t room, const char *value)
{
    size_t size = strlen(value);
    bool is_text = size < room;
    for (size_t i = 0; is_text && i < size; i++)
        is_text = value[i] >= ' ' && value[i] < 127;
    memcpy(to, is_text ? value : "", is_text ? size + 1 : 1);
}

static void take_length(struct vv_remote_answer *a, const char *value)
{
    const char *end = parse_number(value, &a->length);
    a->has_length = end && !*end;
    a->is_empty = a->has_length && a->length == 0;
}

/* Returns true if a header means that the object is encrypted so that its ETag
 * is not a checksum of the uploaded bytes. */
static bool is_of_a_key(const char *name, const char *value)
{
    return (strcasecmp(name, "x-amz-server-side-encryption") == 0 &&
               strncasecmp(value, "aws:", 4) == 0) ||
           strcasecmp(
               name, "x-amz-server-side-encryption-customer-algorithm") == 0;
}

static void remote_answer_take(
    struct vv_remote_answer *a, const char *name, const char *value)
{
    uint64_t number;
    if (strcasecmp(name, "content-range") == 0)
        parse_range(a, value);
    else if (strcasecmp(name, "content-length") == 0)
        take_length(a, value);
    else if (strcasecmp(name, "content-encoding") == 0)
        a->is_coded = strcasecmp(value, "identity") != 0;
    else if (strcasecmp(name, "etag") == 0)
        remote_answer_copy(a->mark.tag, sizeof a->mark.tag, value);
    else if (strcasecmp(name, "last-modified") == 0)
        remote_answer_copy(a->mark.date, sizeof a->mark.date, value);
    else if (strcasecmp(name, "x-amz-bucket-region") == 0)
        remote_answer_copy(a->region, sizeof a->region, value);
    else if (strcasecmp(name, VV_REMOTE_TOKEN_HEADER) == 0)
        remote_answer_copy(a->token, sizeof a->token, value);
    else if (strcasecmp(name, "date") == 0)
        remote_answer_copy(a->clock, sizeof a->clock, value);
    else if (is_of_a_key(name, value))
        a->is_keyed = true;
    else if (strcasecmp(name, "retry-after") == 0 &&
             parse_number(value, &number))
        a->retry_after = number < 60 ? (unsigned)number : 60;
}

static long parse_code(const char *line)
{
    uint64_t code;
    const char *space = strchr(line, ' ');
    return space && parse_number(space + 1, &code) && code < 1000 ? (long)code
                                                                  : 0;
}

void vv_remote_answer_line(
    struct vv_remote_answer *a, const char *line, size_t size)
{
    char text[1024];
    while (size && strchr(" \t\r\n", line[size - 1]))
        size--;
    if (size >= sizeof text || memchr(line, 0, size))
        return;
    if (size == 0)
        a->is_over = true;
    if (a->is_over && a->code >= 200 && a->code < 300)
        return;
    memcpy(text, line, size);
    text[size] = '\0';
    if (strncasecmp(text, "HTTP/", 5) == 0) {
        *a = (struct vv_remote_answer){ .code = parse_code(text),
            .asked = a->asked };
        return;
    }
    char *colon = strchr(text, ':');
    if (!colon || a->is_over)
        return;
    *colon = '\0';
    remote_answer_take(a, text, colon + 1 + strspn(colon + 1, " \t"));
}

/* --- Ranges -----------------------------------------------------------------
 */

static bool remote_answer_is_same(
    const struct vv_remote_validator *mark, const struct vv_remote_answer *a)
{
    return a->has_size && a->mark.size == mark->size &&
           strcmp(a->mark.tag, mark->tag) == 0 &&
           (*mark->tag || strcmp(a->mark.date, mark->date) == 0);
}

static enum vv_remote_verdict conclude(enum vv_remote_verdict verdict, int is,
    const char *text, int *number, const char **why)
{
    *number = is;
    *why = text;
    return verdict;
}

static bool is_requested_range(
    const struct vv_remote_answer *a, const struct vv_remote_range *range)
{
    uint64_t last = range->last;
    if (!range->mark && a->mark.size && last >= a->mark.size)
        last = a->mark.size - 1;
    return a->has_range && a->first == range->first && a->last == last &&
           last < a->mark.size;
}

enum vv_remote_verdict vv_remote_check_range(const struct vv_remote_answer *a,
    const struct vv_remote_range *range, int *number, const char **why)
{
    const struct vv_remote_validator *mark = range->mark;
    bool is_whole = a->code == 200;
    *number = 0;
    if (!mark && ((is_whole && a->is_empty) ||
                     (a->code == 416 && a->has_size && a->mark.size == 0)))
        return VV_REMOTE_GOOD; /* an empty file has no ranges */
    if (is_whole)
        return conclude(VV_REMOTE_AGAIN, EOPNOTSUPP,
            "the server cannot send parts of a file: expected status 206, "
            "found 200",
            number, why);
    if (a->code == 412 || a->code == 416)
        return conclude(VV_REMOTE_FINAL, ESTALE,
            "the file has changed since it was opened", number, why);
    if (a->is_coded)
        return conclude(VV_REMOTE_AGAIN, EIO,
            "the server sent compressed bytes", number, why);
    if (!is_requested_range(a, range))
        return conclude(VV_REMOTE_AGAIN, EIO,
            "the server sent another part of the file than requested", number,
            why);
    if (mark && !remote_answer_is_same(mark, a))
        return conclude(VV_REMOTE_FINAL, ESTALE,
            "the file has changed since it was opened", number, why);
    return VV_REMOTE_GOOD;
}

/* --- Refusals ---------------------------------------------------------------
 */

void vv_remote_name_of_refusal(const char *body, char *name, size_t room)
{
    const char *at = strstr(body, "<Code>");
    size_t size = at ? strspn(at + 6, "abcdefghijklmnopqrstuvwxyz"
                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
                     : 0;
    if (size >= room)
        size = 0;
    memcpy(name, size ? at + 6 : "", size);
    name[size] = '\0';
}

static bool is_passing(long code, const char *name)
{
    /* errors of damaged transfers; a retry can succeed */
    static const char *const names[] = { "RequestTimeout", "BadDigest",
        "IncompleteBody", "XAmzContentSHA256Mismatch",
        "ConditionalRequestConflict", "OperationAborted" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return (code >= 500 && code != 501 && code != 507) || code == 408 ||
           code == 425 || code == 429 || code == 0;
}

static bool is_full(long code, const char *name)
{
    return code == 507 || strcmp(name, "QuotaExceeded") == 0 ||
           strcmp(name, "XMinioStorageFull") == 0 ||
           strcmp(name, "EntityTooLarge") == 0;
}

static void describe_clocks(
    const struct vv_remote_answer *a, char *why, size_t size)
{
    char here[40] = "";
    time_t seconds = (time_t)(a->asked / 1000000000);
    struct tm parts;
    if (a->asked && gmtime_r(&seconds, &parts))
        strftime(here, sizeof here, ", %a, %d %b %Y %H:%M:%S GMT,", &parts);
    snprintf(why, size,
        "the clock of this machine%s differs from the server's%s%s%s by too "
        "much (%ld)",
        here, *a->clock ? ", " : "", a->clock, *a->clock ? "," : "", a->code);
}

static void describe_refusal(
    const struct vv_remote_answer *a, const char *name, char *why, size_t size)
{
    if (strcmp(name, "NoSuchBucket") == 0)
        snprintf(why, size, "no such bucket");
    else if (strcmp(name, "NoSuchUpload") == 0)
        snprintf(why, size, "the store no longer has the uploaded parts");
    else if (a->code == 404 || a->code == 410)
        snprintf(why, size, "no such file (%ld)", a->code);
    else if (strcmp(name, "RequestTimeTooSkewed") == 0)
        describe_clocks(a, why, size);
    else if (is_full(a->code, name))
        snprintf(why, size, "no space left in the store (%ld%s%s)", a->code,
            *name ? " " : "", name);
    else if (a->code == 401 || a->code == 403)
        snprintf(why, size, "access denied (%ld%s%s)", a->code,
            *name ? " " : "", name);
    else if (a->code / 100 == 3 && *a->region)
        snprintf(why, size,
            "the bucket is in another region than the one that is set: %s",
            a->region);
    else
        snprintf(why, size, "unexpected response %ld%s%s", a->code,
            *name ? " " : "", name);
}

enum vv_remote_verdict vv_remote_refusal(const struct vv_remote_answer *a,
    const char *body, int *number, char *why, size_t why_size)
{
    char name[40];
    vv_remote_name_of_refusal(body, name, sizeof name);
    describe_refusal(a, name, why, why_size);
    *number = strcmp(name, "NoSuchUpload") == 0  ? EIO
              : is_full(a->code, name)           ? ENOSPC
              : a->code == 404 || a->code == 410 ? ENOENT
              : a->code == 401 || a->code == 403 ? EACCES
                                                 : EIO;
    return is_passing(a->code, name) ? VV_REMOTE_AGAIN : VV_REMOTE_FINAL;
}
