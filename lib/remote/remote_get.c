/* remote_get.c - Sends GET requests and retries them.
 *
 * Bytes are used only after the headers were checked. If the connection ends
 * early, the received bytes are kept and the rest is requested. Its headers are
 * checked like the first ones, and must have the same validator. A file that is
 * being opened has no validator yet, so its request starts over.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_get.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote_call.h"
#include "remote_pool.h"
#include "remote_url.h"

enum {
    MOST_TEXT = 16 << 20, /* size of a list with a thousand names */
    /* progress in bytes that resets the count of attempts */
    A_STEP_ON = 64 << 10
};

/* One request and its response. */
struct exchange {
    const struct vv_remote_settings *settings;
    const struct vv_remote_place *place;
    struct vv_remote_range range;
    bool is_text;
    unsigned char *to;
    size_t room;
    size_t got; /* bytes of this response */
    struct vv_remote_text *text;
    const char *end; /* that a text must contain */
    struct vv_remote_answer answer;
    int64_t deadline;
    bool is_checked;
    enum vv_remote_verdict verdict;
    int number;
    char why[256];
    char body[512]; /* start of the body of an error response */
    size_t body_size;
};

/* --- Callbacks of libcurl ---------------------------------------------------
 */

static void remote_get_find(struct exchange *e, enum vv_remote_verdict verdict,
    int number, const char *why)
{
    e->verdict = verdict;
    e->number = number;
    snprintf(e->why, sizeof e->why, "%s", why);
}

static bool is_refusal(const struct exchange *e)
{
    long code = e->answer.code;
    return e->is_text
               ? code != 200
               : code != 200 && code != 206 && code != 412 && code != 416;
}

/* Checks the headers, before the first byte or at the end if there is none. */
static void remote_get_check(struct exchange *e)
{
    const char *why = "";
    int number = 0;
    if (e->is_checked)
        return;
    e->is_checked = true;
    e->verdict = VV_REMOTE_GOOD;
    if (is_refusal(e) || e->is_text)
        return;
    enum vv_remote_verdict verdict =
        vv_remote_check_range(&e->answer, &e->range, &number, &why);
    remote_get_find(e, verdict, number, why);
    if (verdict == VV_REMOTE_GOOD)
        e->room = e->answer.has_range
                      ? (size_t)(e->answer.last - e->answer.first + 1)
                      : 0;
}

static size_t remote_get_on_header(
    char *line, size_t one, size_t size, void *user)
{
    struct exchange *e = user;
    if (!e->is_checked)
        vv_remote_answer_line(&e->answer, line, one * size);
    return one * size;
}

static size_t take_refusal(struct exchange *e, const char *bytes, size_t size)
{
    size_t room = sizeof e->body - 1 - e->body_size;
    size_t taken = size < room ? size : room;
    memcpy(e->body + e->body_size, bytes, taken);
    e->body_size += taken;
    return taken == size ? size : 0; /* the rest is not needed */
}

static size_t remote_get_take_text(
    struct exchange *e, const char *bytes, size_t size)
{
    if (memchr(bytes, 0, size) || e->text->size + size > MOST_TEXT) {
        remote_get_find(e, VV_REMOTE_FINAL, EIO, "the response is not a list");
        return 0;
    }
    vv_remote_add_bytes(e->text, bytes, size);
    return e->text->failed ? 0 : size;
}

static size_t remote_get_on_bytes(
    char *bytes, size_t one, size_t count, void *user)
{
    struct exchange *e = user;
    size_t size = one * count;
    remote_get_check(e);
    if (is_refusal(e))
        return take_refusal(e, bytes, size);
    if (e->verdict != VV_REMOTE_GOOD)
        return 0;
    if (e->is_text)
        return remote_get_take_text(e, bytes, size);
    if (size > e->room - e->got) {
        e->got = 0; /* all of them are suspect */
        remote_get_find(e, VV_REMOTE_AGAIN, EIO,
            "the server sent more bytes than requested");
        return 0;
    }
    memcpy(e->to + e->got, bytes, size);
    e->got += size;
    return size;
}

/* --- Requests ---------------------------------------------------------------
 */

/* Adds the headers, with If-Match if the ETag is strong, as it requires. */
static bool remote_get_add_headers(
    const struct exchange *e, struct curl_slist **headers)
{
    char line[VV_REMOTE_TAG_SIZE + 16];
    const struct vv_remote_validator *mark = e->range.mark;
    bool good = true;
    if (mark && *mark->tag == '"') {
        snprintf(line, sizeof line, "If-Match: %s", mark->tag);
        good = vv_remote_add_header(headers, line);
    }
    return good && vv_remote_add_signed(headers, e->place, NULL);
}

/* Sets the verdict from the result of libcurl and the received bytes. */
static void remote_get_settle(struct exchange *e, CURLcode code)
{
    bool is_whole = e->is_text || e->got == e->room;
    /* aborted by on_bytes, which has set the reason */
    bool is_cut = code == CURLE_WRITE_ERROR;
    if (e->answer.code && (code == CURLE_OK || is_cut)) {
        remote_get_check(e);
        if (is_refusal(e))
            e->verdict = vv_remote_refusal(
                &e->answer, e->body, &e->number, e->why, sizeof e->why);
        else if (e->text && e->text->failed)
            remote_get_find(e, VV_REMOTE_FINAL, ENOMEM, "no memory for a list");
        else if (e->text && e->verdict == VV_REMOTE_GOOD &&
                 !(e->text->at && strstr(e->text->at, e->end)))
            remote_get_find(
                e, VV_REMOTE_AGAIN, EIO, "the list is incomplete or malformed");
        is_whole = e->is_text || e->got == e->room;
        if (e->verdict != VV_REMOTE_GOOD || (is_whole && !is_cut))
            return;
    }
    if (e->is_checked && e->verdict != VV_REMOTE_GOOD)
        return;
    remote_get_find(e,
        vv_remote_is_final(code) ? VV_REMOTE_FINAL : VV_REMOTE_AGAIN,
        vv_remote_number_of(code), vv_remote_text_of(code));
}

static void remote_get_request(struct exchange *e)
{
    char range[64];
    struct vv_remote_look look;
    struct curl_slist *headers = NULL;
    CURL *c = vv_remote_pool_take();
    if (!c || !remote_get_add_headers(e, &headers)) {
        remote_get_find(
            e, VV_REMOTE_FINAL, ENOMEM, "no memory for a connection");
    } else {
        snprintf(range, sizeof range, "%llu-%llu",
            (unsigned long long)e->range.first,
            (unsigned long long)e->range.last);
        vv_remote_set_up(c, e->settings, e->place, e->deadline, &look);
        curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
        if (!e->is_text)
            curl_easy_setopt(c, CURLOPT_RANGE, range);
        curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, remote_get_on_header);
        curl_easy_setopt(c, CURLOPT_HEADERDATA, e);
        curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, remote_get_on_bytes);
        curl_easy_setopt(c, CURLOPT_WRITEDATA, e);
        vv_remote_set_stop(c, e->range.stop);
        remote_get_settle(e, vv_remote_perform(c));
        if (look.why)
            remote_get_find(e, VV_REMOTE_FINAL, EACCES, look.why);
    }
    if (c)
        vv_remote_pool_give(c);
    curl_slist_free_all(headers);
}

/* --- Retries ----------------------------------------------------------------
 */

/* Keeps the received part; the next request is for the rest. */
static void remote_get_go_on(struct exchange *e, size_t *kept)
{
    size_t got = e->range.mark && !e->is_text ? e->got : 0;
    *kept += got;
    e->to += got;
    e->range.first += got;
    e->got = 0;
    if (e->text)
        e->text->size = 0;
}

static int remote_get_fail(const struct exchange *e, unsigned failed)
{
    if (e->verdict == VV_REMOTE_FINAL || failed < 2)
        return vv_remote_fail(e->number, "%s", e->why);
    return vv_remote_fail(
        e->number, "%s, in each of %u attempts", e->why, failed);
}

static int64_t remote_get_now(const struct exchange *e)
{
    return e->settings->machine->now(e->settings->machine->state);
}

static int remote_get_get(struct exchange *e, size_t *size)
{
    unsigned failed = 0;
    size_t kept = 0;
    e->deadline = vv_remote_deadline(e->settings);
    for (;;) {
        e->got = 0;
        e->room = 0;
        e->is_checked = false;
        e->verdict = VV_REMOTE_GOOD;
        e->body_size = 0;
        memset(e->body, 0, sizeof e->body);
        e->answer = (struct vv_remote_answer){ .asked = remote_get_now(e) };
        remote_get_request(e);
        if (e->verdict == VV_REMOTE_GOOD)
            break;
        failed = e->range.mark && e->got >= A_STEP_ON ? 1 : failed + 1;
        if (vv_remote_is_late(e->settings, e->deadline))
            remote_get_find(e, VV_REMOTE_FINAL, ETIMEDOUT, VV_REMOTE_LATE);
        if (vv_remote_is_stopped(e->range.stop))
            remote_get_find(e, VV_REMOTE_FINAL, ECANCELED, VV_REMOTE_STOPPED);
        if (e->verdict == VV_REMOTE_FINAL || failed >= e->settings->attempts)
            return remote_get_fail(e, failed);
        remote_get_go_on(e, &kept);
        if (e->range.mark && e->range.first > e->range.last)
            break;
        vv_remote_wait(e->settings, &e->answer, failed, e->range.stop);
    }
    *size = kept + e->got;
    return 0;
}

int vv_remote_get_range(const struct vv_remote_settings *settings,
    const struct vv_remote_place *place, const struct vv_remote_range *range,
    unsigned char *to, size_t *size, struct vv_remote_answer *answer)
{
    struct exchange e = {
        .settings = settings, .place = place, .range = *range, .to = to
    };
    int result = remote_get_get(&e, size);
    *answer = e.answer;
    return result;
}

int vv_remote_get_text(const struct vv_remote_settings *settings,
    const struct vv_remote_place *place, const char *end,
    struct vv_remote_text *text)
{
    struct exchange e = { .settings = settings,
        .place = place,
        .is_text = true,
        .end = end,
        .text = text };
    size_t size;
    return remote_get_get(&e, &size);
}
