/* remote_call.h - Functions that all requests to a server share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_CALL_H
#define VV_REMOTE_CALL_H

#include <curl/curl.h>

#include "remote_get.h"

/* Adds a header line. Returns false if there is no memory. */
bool vv_remote_add_header(struct curl_slist **headers, const char *line);

/* Adds the headers that are signed in addition to the default ones: the SHA-256
 * of the body in hexadecimal, and the session token. NULL: there is no body. */
bool vv_remote_add_signed(struct curl_slist **headers,
    const struct vv_remote_place *place, const char *digest);

/* vv_remote_deadline returns the uptime at which an operation that begins now
 * must have ended. vv_remote_is_late returns true if that time has passed. */
int64_t vv_remote_deadline(const struct vv_remote_settings *s);
bool vv_remote_is_late(const struct vv_remote_settings *s, int64_t deadline);

#define VV_REMOTE_LATE                                                         \
    "the operation has taken longer than `operation_timeout_s` says"

/* Checks each request before it is sent, including those of redirects. */
struct vv_remote_look {
    /* to read */
    const char *why; /* reason for a refused request; or NULL */
    /* own */
    CURL *handle;
    const struct vv_remote_settings *settings;
    const struct vv_remote_place *place;
};

/* Sets the URL, credentials and limits of a handle. `look` must remain valid
 * until the handle has been performed. */
void vv_remote_set_up(CURL *c, const struct vv_remote_settings *s,
    const struct vv_remote_place *place, int64_t deadline,
    struct vv_remote_look *look);

/* Returns true if an address, or a URL host that is an address, is link-local
 * (169.254.0.0/16, fe80::/10), or that of Amazon's metadata service in IPv6. */
bool vv_remote_is_link_local(const char *address);

CURLcode vv_remote_perform(CURL *c);

/* vv_remote_is_final returns true if a retry would fail too. The others return
 * the errno and the text for a code. */
bool vv_remote_is_final(CURLcode code);
int vv_remote_number_of(CURLcode code);
const char *vv_remote_text_of(CURLcode code);

/* Makes a request end within a second after `stop` is set. NULL: no effect. */
void vv_remote_set_stop(CURL *c, const atomic_bool *stop);
bool vv_remote_is_stopped(const atomic_bool *stop);

/* Waits before the next attempt after `failed` failed ones. */
void vv_remote_wait(const struct vv_remote_settings *s,
    const struct vv_remote_answer *answer, unsigned failed,
    const atomic_bool *stop);

#define VV_REMOTE_STOPPED "the request is not needed any more"

#endif
