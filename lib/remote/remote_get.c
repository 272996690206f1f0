/* remote_get.c - libcurl, and who asks it again.
 *
 * Bytes are taken only below headers that were found to be right. What has come
 * of a part when the connection ends is kept, and the rest asked for: its
 * headers are checked as the first ones were, against the mark of the file. A
 * file that is being opened has none yet, and begins anew.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_get.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/version.h>

#include "remote_pool.h"
#include "remote_words.h"

enum {
    MOST_TEXT = 16 << 20,  /* of a list of a thousand names */
    A_STEP_ON = 64 << 10,  /* that bytes are, for attempts to count anew */
    LEAST_PER_SECOND = 64, /* less has stalled */
    MOST_REDIRECTIONS = 5,
    MOST_WAIT_MS = 10000
};

/* One question and its answer. */
struct exchange {
    const struct vv_remote_settings *settings;
    const struct vv_remote_place *place;
    struct vv_remote_range range;
    bool is_text;
    unsigned char *to;
    size_t room;
    size_t got; /* of this answer */
    struct vv_remote_text *text;
    struct vv_remote_answer answer;
    bool is_checked;
    enum vv_remote_verdict verdict;
    int number;
    char why[256];
    char body[512]; /* how a refusal begins */
    size_t body_size;
};

/* --- What comes -------------------------------------------------------------
 */

static void find(struct exchange *e, enum vv_remote_verdict verdict, int number,
    const char *why)
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

/* Before the first byte, and where none comes. */
static void check(struct exchange *e)
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
    find(e, verdict, number, why);
    if (verdict == VV_REMOTE_GOOD)
        e->room = e->answer.has_range
                      ? (size_t)(e->answer.last - e->answer.first + 1)
                      : 0;
}

static size_t on_header(char *line, size_t one, size_t size, void *user)
{
    struct exchange *e = user;
    vv_remote_answer_line(&e->answer, line, one * size);
    return one * size;
}

static size_t take_refusal(struct exchange *e, const char *bytes, size_t size)
{
    size_t room = sizeof e->body - 1 - e->body_size;
    size_t taken = size < room ? size : room;
    memcpy(e->body + e->body_size, bytes, taken);
    e->body_size += taken;
    return taken == size ? size : 0; /* the rest is nobody's business */
}

static size_t take_text(struct exchange *e, const char *bytes, size_t size)
{
    if (memchr(bytes, 0, size) || e->text->size + size > MOST_TEXT) {
        find(e, VV_REMOTE_FINAL, EIO, "expected a list, found something else");
        return 0;
    }
    vv_remote_add_bytes(e->text, bytes, size);
    return e->text->failed ? 0 : size;
}

static size_t on_bytes(char *bytes, size_t one, size_t count, void *user)
{
    struct exchange *e = user;
    size_t size = one * count;
    check(e);
    if (is_refusal(e))
        return take_refusal(e, bytes, size);
    if (e->verdict != VV_REMOTE_GOOD)
        return 0;
    if (e->is_text)
        return take_text(e, bytes, size);
    if (size > e->room - e->got) {
        e->got = 0; /* none of them is sure */
        find(e, VV_REMOTE_AGAIN, EIO,
            "expected no more bytes than were asked for, found more");
        return 0;
    }
    memcpy(e->to + e->got, bytes, size);
    e->got += size;
    return size;
}

/* --- Asking -----------------------------------------------------------------
 */

static bool add_header(struct curl_slist **headers, const char *line)
{
    struct curl_slist *more = curl_slist_append(*headers, line);
    if (more)
        *headers = more;
    return more != NULL;
}

/* Servers compare tags that are not weak. */
static bool add_headers(const struct exchange *e, struct curl_slist **headers)
{
    static const char digest_of_nothing[] =
        "x-amz-content-sha256: "
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    char line[VV_REMOTE_TAG_SIZE + 16];
    const struct vv_remote_mark *mark = e->range.mark;
    bool good = true;
    if (mark && *mark->tag == '"') {
        snprintf(line, sizeof line, "If-Match: %s", mark->tag);
        good = add_header(headers, line);
    }
    if (e->place->is_signed)
        good = good && add_header(headers, digest_of_nothing);
    if (e->place->token) {
        struct vv_remote_text token = { .at = NULL };
        vv_remote_add(&token, "x-amz-security-token: ");
        vv_remote_add(&token, e->place->token);
        char *text = vv_remote_take(&token);
        good = good && text && add_header(headers, text);
        free(text);
    }
    return good;
}

static void set_place(CURL *c, const struct vv_remote_place *place)
{
    curl_easy_setopt(c, CURLOPT_URL, place->url);
    curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(
        c, CURLOPT_PROTOCOLS_STR, place->is_secure ? "https" : "http");
    curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR,
        place->is_secure ? "https" : "http,https");
    /* What is signed is for one host. */
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, place->is_signed ? 0L : 1L);
    curl_easy_setopt(c, CURLOPT_MAXREDIRS, (long)MOST_REDIRECTIONS);
    if (place->is_signed) {
        curl_easy_setopt(c, CURLOPT_AWS_SIGV4, place->signing);
        curl_easy_setopt(c, CURLOPT_USERNAME, place->key_id);
        curl_easy_setopt(c, CURLOPT_PASSWORD, place->secret);
    }
}

static void set_limits(CURL *c, const struct vv_remote_settings *s)
{
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "varve/" VARVE_VERSION);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)s->connect_timeout_ms);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, (long)LEAST_PER_SECOND);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)s->stall_timeout_s);
    if (s->certificates)
        curl_easy_setopt(c, CURLOPT_CAINFO, s->certificates);
}

/* libcurl's own care for it is off with its signals; so is that of TLS. */
static CURLcode perform(CURL *c)
{
    sigset_t pipe_only, before, waiting;
    const struct timespec none = { 0 };
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    sigemptyset(&waiting);
    sigpending(&waiting);
    CURLcode code = curl_easy_perform(c);
    if (!sigismember(&waiting, SIGPIPE))
        while (sigtimedwait(&pipe_only, NULL, &none) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

static bool is_final(CURLcode code)
{
    switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_NOT_BUILT_IN:
    case CURLE_UNKNOWN_OPTION: return true;
    default: return false;
    }
}

static const char *text_of(CURLcode code)
{
    return code == CURLE_OK ? "the answer ended before its end"
           : code == CURLE_PEER_FAILED_VERIFICATION
               ? "the certificate of the server is not trusted here"
               : curl_easy_strerror(code);
}

/* What a call of libcurl came to, and the bytes that came with it. */
static void settle(struct exchange *e, CURLcode code)
{
    bool is_whole = e->is_text || e->got == e->room;
    bool is_cut = code == CURLE_WRITE_ERROR; /* by us, who know why */
    if (e->answer.code && (code == CURLE_OK || is_cut)) {
        check(e);
        if (is_refusal(e))
            e->verdict = vv_remote_refusal(
                &e->answer, e->body, &e->number, e->why, sizeof e->why);
        else if (e->text && e->text->failed)
            find(e, VV_REMOTE_FINAL, ENOMEM, "no memory for a list");
        is_whole = e->is_text || e->got == e->room;
        if (e->verdict != VV_REMOTE_GOOD || (is_whole && !is_cut))
            return;
    }
    if (e->is_checked && e->verdict != VV_REMOTE_GOOD)
        return;
    int number = code == CURLE_OPERATION_TIMEDOUT ? ETIMEDOUT
                 : code == CURLE_OUT_OF_MEMORY    ? ENOMEM
                                                  : EIO;
    find(e, is_final(code) ? VV_REMOTE_FINAL : VV_REMOTE_AGAIN, number,
        text_of(code));
}

static void ask(struct exchange *e)
{
    char range[64];
    struct curl_slist *headers = NULL;
    CURL *c = vv_remote_pool_take();
    if (!c || !add_headers(e, &headers)) {
        find(e, VV_REMOTE_FINAL, ENOMEM, "no memory for a connection");
    } else {
        snprintf(range, sizeof range, "%llu-%llu",
            (unsigned long long)e->range.first,
            (unsigned long long)e->range.last);
        set_limits(c, e->settings);
        set_place(c, e->place);
        curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
        if (!e->is_text)
            curl_easy_setopt(c, CURLOPT_RANGE, range);
        curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
        curl_easy_setopt(c, CURLOPT_HEADERDATA, e);
        curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_bytes);
        curl_easy_setopt(c, CURLOPT_WRITEDATA, e);
        settle(e, perform(c));
    }
    if (c)
        vv_remote_pool_give(c);
    curl_slist_free_all(headers);
}

/* --- Again ------------------------------------------------------------------
 */

/* Somewhere between nothing and twice as much as the last time, so that many
 * who were refused together do not come back together. */
static void wait(const struct exchange *e, unsigned failed)
{
    const struct vv_system *machine = e->settings->machine;
    uint64_t most = (uint64_t)e->settings->wait_ms
                    << (failed < 20 ? failed - 1 : 19);
    uint32_t random = 0;
    most = most < MOST_WAIT_MS ? most : MOST_WAIT_MS;
    machine->random(machine->state, &random, sizeof random);
    uint64_t ms = random % (most + 1);
    if (e->answer.retry_after && ms < e->answer.retry_after * 1000ull)
        ms = e->answer.retry_after * 1000ull;
    ms = ms < MOST_WAIT_MS ? ms : MOST_WAIT_MS;
    machine->sleep(machine->state, (int64_t)ms * 1000000);
}

/* What came of a part is there; the rest is asked for. */
static void go_on(struct exchange *e, size_t *kept)
{
    size_t got = e->range.mark && !e->is_text ? e->got : 0;
    *kept += got;
    e->to += got;
    e->range.first += got;
    e->got = 0;
    if (e->text)
        e->text->size = 0;
}

static int fail(const struct exchange *e, unsigned failed)
{
    if (e->verdict == VV_REMOTE_FINAL || failed < 2)
        return vv_remote_fail(e->number, "%s", e->why);
    return vv_remote_fail(
        e->number, "%s, in each of %u attempts", e->why, failed);
}

static int get(struct exchange *e, size_t *size)
{
    unsigned failed = 0;
    size_t kept = 0;
    for (;;) {
        e->got = 0;
        e->room = 0;
        e->is_checked = false;
        e->verdict = VV_REMOTE_GOOD;
        e->body_size = 0;
        memset(e->body, 0, sizeof e->body);
        e->answer = (struct vv_remote_answer){ .code = 0 };
        ask(e);
        if (e->verdict == VV_REMOTE_GOOD)
            break;
        failed = e->range.mark && e->got >= A_STEP_ON ? 1 : failed + 1;
        if (e->verdict == VV_REMOTE_FINAL || failed >= e->settings->attempts)
            return fail(e, failed);
        go_on(e, &kept);
        if (e->range.mark && e->range.first > e->range.last)
            break;
        wait(e, failed);
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
    int result = get(&e, size);
    *answer = e.answer;
    return result;
}

int vv_remote_get_text(const struct vv_remote_settings *settings,
    const struct vv_remote_place *place, struct vv_remote_text *text)
{
    struct exchange e = {
        .settings = settings, .place = place, .is_text = true, .text = text
    };
    size_t size;
    return get(&e, &size);
}
