/* remote_request.c - Sends requests with a body through libcurl.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote_call.h"
#include "remote_pool.h"
#include "remote_url.h"

enum {
    MOST_ANSWER = 256 << 10,
    MOST_WAIT_MS = 100,
    /* factor of the stall timeout for CompleteMultipartUpload */
    TO_PUT_TOGETHER = 10
};

struct sending {
    struct vv_remote_change *change;
    size_t sent;
    bool is_too_long;
};

void vv_remote_change_find(struct vv_remote_change *c,
    enum vv_remote_verdict verdict, int number, const char *why)
{
    c->verdict = verdict;
    c->number = number;
    snprintf(c->why, sizeof c->why, "%s", why);
}

/* --- Callbacks of libcurl ---------------------------------------------------
 */

static size_t remote_request_on_header(
    char *line, size_t one, size_t size, void *user)
{
    struct sending *s = user;
    vv_remote_answer_line(&s->change->answer, line, one * size);
    return one * size;
}

static size_t remote_request_on_answer(
    char *bytes, size_t one, size_t count, void *user)
{
    struct sending *s = user;
    struct vv_remote_text *text = &s->change->text;
    size_t size = one * count;
    s->is_too_long = memchr(bytes, 0, size) || text->size + size > MOST_ANSWER;
    if (s->is_too_long)
        return 0;
    vv_remote_add_bytes(text, bytes, size);
    return text->failed ? 0 : size;
}

static size_t on_read(char *to, size_t one, size_t count, void *user)
{
    struct sending *s = user;
    size_t left = s->change->size - s->sent, room = one * count;
    size_t part = left < room ? left : room;
    if (part)
        memcpy(to, s->change->bytes + s->sent, part);
    s->sent += part;
    return part;
}

/* Rewinds the body. libcurl does this when it resends a request because a
 * kept-alive connection had ended. It cannot be sure that the server did not
 * receive it. */
static int on_seek(void *user, curl_off_t offset, int origin)
{
    struct sending *s = user;
    if (s->change->is_once || origin != SEEK_SET || offset < 0 ||
        (uint64_t)offset > s->change->size)
        return CURL_SEEKFUNC_FAIL;
    s->sent = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

/* --- Requests ---------------------------------------------------------------
 */

static bool remote_request_add(
    struct curl_slist **headers, const char *name, const char *is)
{
    char line[VV_REMOTE_TAG_SIZE + 64];
    snprintf(line, sizeof line, "%s: %s", name, is);
    return vv_remote_add_header(headers, line);
}

static bool remote_request_add_headers(struct vv_remote_change *c,
    const struct vv_remote_place *place, struct curl_slist **headers)
{
    unsigned char sha256[VV_REMOTE_SHA256_SIZE] = { 0 };
    char digest[VV_REMOTE_MOST_TEXT], md5[VV_REMOTE_MOST_TEXT];
    bool good = vv_remote_sha256(c->bytes, c->size, sha256);
    vv_remote_hex(sha256, sizeof sha256, digest);
    good = good && vv_remote_add_signed(headers, place, digest);
    if (good && c->method == VV_REMOTE_PUT) {
        good = vv_remote_md5(c->bytes, c->size, c->md5);
        vv_remote_base64(c->md5, sizeof c->md5, md5);
        good = good && remote_request_add(headers, "Content-MD5", md5);
    }
    if (c->method == VV_REMOTE_POST)
        good = good && remote_request_add(
                           headers, "Content-Type", "application/octet-stream");
    if (c->is_new)
        good = good && remote_request_add(headers, "If-None-Match", "*");
    if (c->match)
        good = good && remote_request_add(headers, "If-Match", c->match);
    if (c->token)
        good = good &&
               remote_request_add(headers, VV_REMOTE_TOKEN_HEADER, c->token);
    return good;
}

/* Sets the options for the body. Some servers never respond to "Expect:
 * 100-continue", so its timeout is short. It cannot be disabled with an empty
 * "Expect:", because some versions of libcurl sign that header and do not send
 * it. */
static void set_body(CURL *handle, struct sending *s)
{
    curl_easy_setopt(handle, CURLOPT_EXPECT_100_TIMEOUT_MS, MOST_WAIT_MS);
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, on_read);
    curl_easy_setopt(handle, CURLOPT_READDATA, s);
    curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, on_seek);
    curl_easy_setopt(handle, CURLOPT_SEEKDATA, s);
}

static void set_method(CURL *handle, struct sending *s)
{
    const struct vv_remote_change *c = s->change;
    switch (c->method) {
    case VV_REMOTE_HEAD: curl_easy_setopt(handle, CURLOPT_NOBODY, 1L); break;
    case VV_REMOTE_DELETE:
        curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, "DELETE");
        break;
    case VV_REMOTE_POST:
        curl_easy_setopt(handle, CURLOPT_POST, 1L);
        curl_easy_setopt(
            handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)c->size);
        set_body(handle, s);
        break;
    case VV_REMOTE_PUT:
        curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)c->size);
        set_body(handle, s);
        break;
    }
}

/* Sets the verdict. A request of which bytes were sent without a response, or
 * whose response is a server error, may have been executed. */
static void remote_request_settle(
    struct sending *s, CURL *handle, CURLcode code)
{
    struct vv_remote_change *c = s->change;
    const char *body = c->text.at && !c->text.failed ? c->text.at : "";
    long sent = 0;
    /* A server can refuse before everything is sent, and close the
     * connection. */
    if (c->answer.code >= 400 || (code == CURLE_OK && c->answer.code)) {
        c->is_unsure = c->answer.code >= 500 && c->answer.code != 501;
        c->verdict = VV_REMOTE_GOOD;
        if (c->answer.code / 100 != 2)
            c->verdict = vv_remote_refusal(
                &c->answer, body, &c->number, c->why, sizeof c->why);
        else if (c->end && !strstr(body, c->end))
            vv_remote_change_find(c, VV_REMOTE_AGAIN, EIO,
                "the response of the store is incomplete or malformed");
        return;
    }
    curl_easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &sent);
    c->is_unsure = sent > 0;
    if (s->is_too_long)
        vv_remote_change_find(
            c, VV_REMOTE_AGAIN, EIO, "the response of the store is malformed");
    else if (c->text.failed)
        vv_remote_change_find(
            c, VV_REMOTE_FINAL, ENOMEM, "no memory for a response");
    else
        vv_remote_change_find(c,
            vv_remote_is_final(code) ? VV_REMOTE_FINAL : VV_REMOTE_AGAIN,
            vv_remote_number_of(code), vv_remote_text_of(code));
}

static void remote_request_start(
    struct vv_remote_change *c, const struct vv_remote_place *place)
{
    struct sending s = { .change = c };
    struct vv_remote_look look;
    struct curl_slist *headers = NULL;
    CURL *handle = vv_remote_pool_take();
    if (!handle || !remote_request_add_headers(c, place, &headers)) {
        vv_remote_change_find(
            c, VV_REMOTE_FINAL, ENOMEM, "no memory for a connection");
    } else {
        vv_remote_set_up(handle, c->settings, place, c->deadline, &look);
        curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(
            handle, CURLOPT_HEADERFUNCTION, remote_request_on_header);
        curl_easy_setopt(handle, CURLOPT_HEADERDATA, &s);
        curl_easy_setopt(
            handle, CURLOPT_WRITEFUNCTION, remote_request_on_answer);
        curl_easy_setopt(handle, CURLOPT_WRITEDATA, &s);
        set_method(handle, &s);
        vv_remote_set_stop(handle, c->stop);
        if (c->is_once && c->method == VV_REMOTE_POST)
            curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME,
                (long)TO_PUT_TOGETHER * c->settings->stall_timeout_s);
        remote_request_settle(&s, handle, vv_remote_perform(handle));
        if (look.why)
            vv_remote_change_find(c, VV_REMOTE_FINAL, EACCES, look.why);
    }
    if (handle)
        vv_remote_pool_give(handle);
    curl_slist_free_all(headers);
}

void vv_remote_change_once(struct vv_remote_change *c)
{
    const struct vv_system *machine = c->settings->machine;
    struct vv_remote_place place;
    c->answer =
        (struct vv_remote_answer){ .asked = machine->now(machine->state) };
    c->text.size = 0;
    c->is_unsure = false;
    if (!c->deadline)
        c->deadline = vv_remote_deadline(c->settings);
    if (vv_remote_is_stopped(c->stop)) {
        vv_remote_change_find(c, VV_REMOTE_FINAL, ECANCELED, VV_REMOTE_STOPPED);
        return;
    }
    if (vv_remote_is_late(c->settings, c->deadline)) {
        vv_remote_change_find(c, VV_REMOTE_FINAL, ETIMEDOUT, VV_REMOTE_LATE);
        return;
    }
    int result = vv_remote_place_of_change(c->path, c->query, &place);
    if (result)
        vv_remote_change_find(
            c, VV_REMOTE_FINAL, -result, vv_remote_reason(-result, c->path));
    else
        remote_request_start(c, &place);
    vv_remote_place_clear(&place);
}

int vv_remote_change_fail(const struct vv_remote_change *c, unsigned failed)
{
    if (c->verdict == VV_REMOTE_FINAL || failed < 2)
        return vv_remote_fail(c->number, "%s", c->why);
    return vv_remote_fail(
        c->number, "%s, in each of %u attempts", c->why, failed);
}

int vv_remote_change(struct vv_remote_change *c)
{
    for (unsigned failed = 0;;) {
        vv_remote_change_once(c);
        if (c->verdict == VV_REMOTE_GOOD)
            return 0;
        failed++;
        if (c->verdict == VV_REMOTE_FINAL || failed >= c->settings->attempts)
            return vv_remote_change_fail(c, failed);
        vv_remote_wait(c->settings, &c->answer, failed, c->stop);
    }
}

/* --- Tags -------------------------------------------------------------------
 */

bool vv_remote_is_sum(const struct vv_remote_answer *a)
{
    enum { SIZE = 2 * VV_REMOTE_MD5_SIZE };
    const char *tag = a->mark.tag;
    return !a->is_keyed && strlen(tag) == SIZE + 2 && *tag == '"' &&
           strspn(tag + 1, "0123456789abcdef") == SIZE;
}

bool vv_remote_tag_fits(const struct vv_remote_answer *a,
    const unsigned char md5[VV_REMOTE_MD5_SIZE])
{
    char digits[VV_REMOTE_MOST_TEXT];
    vv_remote_hex(md5, VV_REMOTE_MD5_SIZE, digits);
    return !vv_remote_is_sum(a) ||
           memcmp(a->mark.tag + 1, digits, 2 * VV_REMOTE_MD5_SIZE) == 0;
}
