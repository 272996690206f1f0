/* url.h - paths with a scheme, such as s3://bucket/key: which they are, and how
 * they are printed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_URL_H
#define VV_URL_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the number of bytes of "scheme://" with which a path begins (RFC
 * 3986, 3.1); 0: it is a path of this machine. */
size_t vv_url_scheme(const char *path);

/* Takes user, password, query and fragment out of a path with a scheme, in
 * place: they may be as good as a password. "https://user:pw@host/x?sig=1" is
 * "https://host/x?" then. */
void vv_url_clean(char *path);

/* The same of each URL in a message, in place. A query ends at ": " or at the
 * end of its line; whatever stands between is taken out with it. A '?' before a
 * space, a colon or a quote stays as it is: there the path was cleaned. */
void vv_url_clean_message(char *message);

#endif
