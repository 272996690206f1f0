/* url.h - Detects paths with a scheme, such as s3://bucket/key, and removes
 * secrets from them for messages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_URL_H
#define VV_URL_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the size of the "scheme://" with which a path begins (RFC 3986, 3.1);
 * 0 for a local path. */
size_t vv_url_scheme(const char *path);

/* Removes user, password, query and fragment from a path with a scheme, in
 * place, because each can contain a secret. "https://user:pw@host/x?sig=1"
 * becomes "https://host/x?". */
void vv_url_clean(char *path);

/* Like vv_url_clean, for each URL in a message, in place. A query ends at ": "
 * or at the end of its line, and everything up to there is removed. A '?'
 * before a space, a colon or a quote is unchanged, because that path was
 * cleaned already. */
void vv_url_clean_message(char *message);

#endif
