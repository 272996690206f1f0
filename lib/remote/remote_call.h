/* remote_call.h - what every question to a server has, whatever it asks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_CALL_H
#define VV_REMOTE_CALL_H

#include <curl/curl.h>

#include "remote_get.h"

/* False without memory. */
bool vv_remote_add_header(struct curl_slist **headers, const char *line);

/* What is signed besides the usual: the SHA-256 of the body, in hexadecimal
 * digits, and the token of a session. NULL: there is no body. */
bool vv_remote_add_signed(struct curl_slist **headers,
    const struct vv_remote_place *place, const char *digest);

/* When an operation that begins now has to be over, by the uptime; and whether
 * that is past. */
int64_t vv_remote_deadline(const struct vv_remote_settings *s);
bool vv_remote_is_late(const struct vv_remote_settings *s, int64_t deadline);

#define VV_REMOTE_LATE                                                         \
    "the operation has taken longer than `operation_timeout_s` says"

/* Looks at each request before it is sent, those of redirects too. */
struct vv_remote_look {
    /* to read */
    const char *why; /* it has refused one; NULL: none */
    /* own */
    CURL *handle;
    const struct vv_remote_settings *settings;
    const struct vv_remote_place *place;
};

/* Sets the place and the limits of a handle. The look has to stay until the
 * handle has been performed. */
void vv_remote_set_up(CURL *c, const struct vv_remote_settings *s,
    const struct vv_remote_place *place, int64_t deadline,
    struct vv_remote_look *look);

/* Whether an address, or the host of a URL that is one, is link-local
 * (169.254.0.0/16, fe80::/10), or that of Amazon's metadata service in IPv6. */
bool vv_remote_is_link_local(const char *address);

CURLcode vv_remote_perform(CURL *c);

/* Whether another attempt would end alike; an errno; and words. */
bool vv_remote_is_final(CURLcode code);
int vv_remote_number_of(CURLcode code);
const char *vv_remote_text_of(CURLcode code);

/* Lets a request end early, within a second, once `stop` is set; NULL: not. */
void vv_remote_set_stop(CURL *c, const atomic_bool *stop);
bool vv_remote_is_stopped(const atomic_bool *stop);

/* Before the next of several attempts, of which `failed` have failed. */
void vv_remote_wait(const struct vv_remote_settings *s,
    const struct vv_remote_answer *answer, unsigned failed,
    const atomic_bool *stop);

#define VV_REMOTE_STOPPED "the request is not needed any more"

#endif
