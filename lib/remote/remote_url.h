/* remote_url.h - Converts a path with a scheme to a URL and the credentials for
 * it, and stores the text of a failure.
 *
 * The endpoint of a bucket is AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or that of
 * Amazon.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_URL_H
#define VV_REMOTE_URL_H

#include <stdbool.h>

#include "failure.h"

/* --- Errors --------------------------------------------------------------- */

/* Stores the text of a failure for each thread, in addition to the errno. */

/* Stores the text for this thread, and returns -number. */
int vv_remote_fail(int number, const char *format, ...) VV_PRINTF(2, 3);

/* Copies the stored text, to be passed to another thread. */
void vv_remote_copy_reason(char *text, size_t room);

/* Returns the last stored text if it is for this errno and `path` is a path of
 * a store. Returns it only once, because a later failure with the same errno
 * may have no text. */
const char *vv_remote_reason(int number, const char *path);

/* --- URLs ----------------------------------------------------------------- */

enum vv_remote_scheme {
    VV_REMOTE_NONE,
    VV_REMOTE_HTTP,
    VV_REMOTE_HTTPS,
    VV_REMOTE_S3
};

enum vv_remote_scheme vv_remote_scheme_of(const char *path);

struct vv_remote_place {
    /* to read */
    char *url;
    bool is_secure; /* https, also after redirects */
    bool is_signed; /* in a bucket; uses the four members below */
    char *signing;  /* algorithm, region and service in the form of libcurl */
    char *key_id;
    char *secret;
    char *token; /* session token, or NULL */
};

/* Makes the place of a file. Returns 0 or a failure. Call vv_remote_place_clear
 * in any case. */
int vv_remote_place_of(const char *path, struct vv_remote_place *place);

/* Makes the place for a change of an object. `query` must be in the order in
 * which it is signed, or "". */
int vv_remote_place_of_change(
    const char *path, const char *query, struct vv_remote_place *place);

/* Makes the place for a list of a directory of a bucket. `continued` is the
 * token of the previous page, or NULL. */
int vv_remote_place_of_list(const char *directory, const char *continued,
    struct vv_remote_place *place);

void vv_remote_place_clear(struct vv_remote_place *place);

/* Returns the common prefix of the keys in a directory, with its '/'; "" for
 * the bucket itself. To be freed; NULL if there is no memory. */
char *vv_remote_prefix_of(const char *directory);

#endif
