/* remote_call.c - libcurl: what is set for each call of it, and what it said.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_call.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include <varve/version.h>

enum {
    LEAST_PER_SECOND = 64, /* less has stalled */
    MOST_REDIRECTIONS = 5,
    MOST_WAIT_MS = 10000
};

/* --- Headers ----------------------------------------------------------------
 */

bool vv_remote_add_header(struct curl_slist **headers, const char *line)
{
    struct curl_slist *more = curl_slist_append(*headers, line);
    if (more)
        *headers = more;
    return more != NULL;
}

bool vv_remote_add_signed(struct curl_slist **headers,
    const struct vv_remote_place *place, const char *digest)
{
    static const char of_nothing[] =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    struct vv_remote_text line = { .at = NULL };
    bool good = true;
    if (place->is_signed) {
        vv_remote_add(&line, "x-amz-content-sha256: ");
        vv_remote_add(&line, digest ? digest : of_nothing);
        char *text = vv_remote_take(&line);
        good = text && vv_remote_add_header(headers, text);
        free(text);
    }
    if (good && place->token) {
        vv_remote_add(&line, "x-amz-security-token: ");
        vv_remote_add(&line, place->token);
        char *text = vv_remote_take(&line);
        good = text && vv_remote_add_header(headers, text);
        free(text);
    }
    return good;
}

/* --- Calls ------------------------------------------------------------------
 */

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
CURLcode vv_remote_perform(CURL *c)
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

bool vv_remote_is_final(CURLcode code)
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

const char *vv_remote_text_of(CURLcode code)
{
    return code == CURLE_OK ? "the answer ended before its end"
           : code == CURLE_PEER_FAILED_VERIFICATION
               ? "the certificate of the server is not trusted here"
               : curl_easy_strerror(code);
}

int vv_remote_number_of(CURLcode code)
{
    return code == CURLE_OPERATION_TIMEDOUT ? ETIMEDOUT
           : code == CURLE_OUT_OF_MEMORY    ? ENOMEM
                                            : EIO;
}

void vv_remote_set_up(CURL *c, const struct vv_remote_settings *s,
    const struct vv_remote_place *place)
{
    set_limits(c, s);
    set_place(c, place);
}

/* --- Again ------------------------------------------------------------------
 */

/* Somewhere between nothing and twice as much as the last time, so that many
 * who were refused together do not come back together. */
void vv_remote_wait(const struct vv_remote_settings *s,
    const struct vv_remote_answer *answer, unsigned failed)
{
    const struct vv_system *machine = s->machine;
    uint64_t most = (uint64_t)s->wait_ms << (failed < 20 ? failed - 1 : 19);
    uint32_t random = 0;
    most = most < MOST_WAIT_MS ? most : MOST_WAIT_MS;
    machine->random(machine->state, &random, sizeof random);
    uint64_t ms = random % (most + 1);
    if (answer->retry_after && ms < answer->retry_after * 1000ull)
        ms = answer->retry_after * 1000ull;
    ms = ms < MOST_WAIT_MS ? ms : MOST_WAIT_MS;
    machine->sleep(machine->state, (int64_t)ms * 1000000);
}
