/* remote_call.c - Sets the options of libcurl handles, and evaluates their
 * results.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_call.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <varve/version.h>

enum {
    LEAST_PER_SECOND = 64, /* transfers below this rate have stalled */
    MOST_REDIRECTIONS = 5,
    MOST_WAIT_MS = 10000,
    SLICE_MS = 100,      /* granularity of waits that can be ended early */
    RECEIVED = 256 << 10 /* size of the receive buffer in bytes */
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

/* --- Checks before a request ------------------------------------------------
 */

/* Copies the host of a URL, without user and port, to `host`; "" if it does not
 * fit. */
static void copy_host(const char *url, char *host, size_t room)
{
    const char *begin = strstr(url, "://");
    begin = begin ? begin + 3 : url;
    const char *end = begin + strcspn(begin, "/?#");
    for (const char *at = begin; at < end; at++)
        begin = *at == '@' ? at + 1 : begin;
    bool is_bracketed = *begin == '[';
    begin += is_bracketed;
    size_t size = strcspn(begin, is_bracketed ? "]" : ":/?#");
    size = begin + size <= end && size < room ? size : 0;
    memcpy(host, begin, size);
    host[size] = '\0';
}

bool vv_remote_is_link_local(const char *address)
{
    static const char mapped[] = "::ffff:";
    if (curl_strnequal(address, mapped, sizeof mapped - 1))
        address += sizeof mapped - 1;
    bool is_low = curl_strnequal(address, "fe", 2) && address[2] &&
                  strchr("89abAB", address[2]) && strchr(address, ':');
    return is_low || strncmp(address, "169.254.", 8) == 0 ||
           curl_strequal(address, "fd00:ec2::254");
}

static int before_request(
    void *user, char *address, char *own, int port, int own_port)
{
    struct vv_remote_look *g = user;
    char host[256], asked[256];
    char *url = NULL;
    (void)own;
    (void)port;
    (void)own_port;
    curl_easy_getinfo(g->handle, CURLINFO_EFFECTIVE_URL, &url);
    copy_host(url ? url : "", host, sizeof host);
    copy_host(g->place->url, asked, sizeof asked);
    if (vv_remote_is_link_local(address) || vv_remote_is_link_local(host))
        g->why =
            "link-local addresses (cloud metadata services) are not accessed";
    else if (g->settings->redirects == VARVE_REDIRECTS_SAME_HOST &&
             (!*host || !curl_strequal(host, asked)))
        g->why = "the server redirects to another host, which `redirects` of "
                 "varve_remote_options forbids";
    return g->why ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static void set_look(CURL *c, const struct vv_remote_settings *s,
    const struct vv_remote_place *place, struct vv_remote_look *look)
{
    *look =
        (struct vv_remote_look){ .handle = c, .settings = s, .place = place };
    curl_easy_setopt(c, CURLOPT_PREREQFUNCTION, before_request);
    curl_easy_setopt(c, CURLOPT_PREREQDATA, look);
    /* a signature is valid for one host only */
    bool follows = !place->is_signed && s->redirects != VARVE_REDIRECTS_NONE;
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, follows ? 1L : 0L);
    curl_easy_setopt(c, CURLOPT_MAXREDIRS, (long)MOST_REDIRECTIONS);
}

/* --- Time -------------------------------------------------------------------
 */

static int64_t remote_call_uptime(const struct vv_remote_settings *s)
{
    return s->machine->uptime(s->machine->state);
}

int64_t vv_remote_deadline(const struct vv_remote_settings *s)
{
    return remote_call_uptime(s) + (int64_t)s->operation_timeout_s * 1000000000;
}

bool vv_remote_is_late(const struct vv_remote_settings *s, int64_t deadline)
{
    return remote_call_uptime(s) >= deadline;
}

static void set_deadline(
    CURL *c, const struct vv_remote_settings *s, int64_t deadline)
{
    int64_t left = (deadline - remote_call_uptime(s)) / 1000000;
    left = left < 1 ? 1 : left < INT32_MAX ? left : INT32_MAX;
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)left);
}

/* --- Calls ------------------------------------------------------------------
 */

static void remote_call_set_place(CURL *c, const struct vv_remote_place *place)
{
    curl_easy_setopt(c, CURLOPT_URL, place->url);
    curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(
        c, CURLOPT_PROTOCOLS_STR, place->is_secure ? "https" : "http");
    curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR,
        place->is_secure ? "https" : "http,https");
    if (place->is_signed) {
        curl_easy_setopt(c, CURLOPT_AWS_SIGV4, place->signing);
        curl_easy_setopt(c, CURLOPT_USERNAME, place->key_id);
        curl_easy_setopt(c, CURLOPT_PASSWORD, place->secret);
    }
}

static void set_limits(CURL *c, const struct vv_remote_settings *s)
{
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_BUFFERSIZE, (long)RECEIVED);
    curl_easy_setopt(c, CURLOPT_UPLOAD_BUFFERSIZE, (long)RECEIVED);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "varve/" VARVE_VERSION);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)s->connect_timeout_ms);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, (long)LEAST_PER_SECOND);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)s->stall_timeout_s);
    if (s->certificates)
        curl_easy_setopt(c, CURLOPT_CAINFO, s->certificates);
}

/* Blocks SIGPIPE, because libcurl's and OpenSSL's handling is disabled with
 * CURLOPT_NOSIGNAL. */
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
    return code == CURLE_OK ? "the response is truncated"
           : code == CURLE_PEER_FAILED_VERIFICATION
               ? "the certificate of the server is not trusted"
               : curl_easy_strerror(code);
}

int vv_remote_number_of(CURLcode code)
{
    return code == CURLE_OPERATION_TIMEDOUT ? ETIMEDOUT
           : code == CURLE_OUT_OF_MEMORY    ? ENOMEM
                                            : EIO;
}

static int on_progress(
    void *user, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    return vv_remote_is_stopped(user);
}

bool vv_remote_is_stopped(const atomic_bool *stop)
{
    return stop && atomic_load(stop);
}

void vv_remote_set_stop(CURL *c, const atomic_bool *stop)
{
    if (!stop)
        return;
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, stop);
}

void vv_remote_set_up(CURL *c, const struct vv_remote_settings *s,
    const struct vv_remote_place *place, int64_t deadline,
    struct vv_remote_look *look)
{
    set_limits(c, s);
    remote_call_set_place(c, place);
    set_look(c, s, place, look);
    set_deadline(c, s, deadline);
}

/* --- Retries ----------------------------------------------------------------
 */

/* Waits a random time up to a limit that doubles with each attempt, so that
 * clients which were refused together do not retry together. */
void vv_remote_wait(const struct vv_remote_settings *s,
    const struct vv_remote_answer *answer, unsigned failed,
    const atomic_bool *stop)
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
    while (ms > 0 && !vv_remote_is_stopped(stop)) {
        uint64_t part = stop && ms > SLICE_MS ? SLICE_MS : ms;
        machine->sleep(machine->state, (int64_t)part * 1000000);
        ms -= part;
    }
}
