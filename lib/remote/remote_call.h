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

/* Sets the place and the limits of a handle. */
void vv_remote_set_up(CURL *c, const struct vv_remote_settings *s,
    const struct vv_remote_place *place);

CURLcode vv_remote_perform(CURL *c);

/* Whether another attempt would end alike; an errno; and words. */
bool vv_remote_is_final(CURLcode code);
int vv_remote_number_of(CURLcode code);
const char *vv_remote_text_of(CURLcode code);

/* Before the next of several attempts, of which `failed` have failed. */
void vv_remote_wait(const struct vv_remote_settings *s,
    const struct vv_remote_answer *answer, unsigned failed);

#endif
