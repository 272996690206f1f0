/* remote_url.h - what a path with a scheme means: the URL that is asked, and
 * by whom.
 *
 * An object of a bucket is asked for at Amazon's, or where AWS_ENDPOINT_URL_S3
 * or AWS_ENDPOINT_URL says.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_PLACE_H
#define VV_REMOTE_PLACE_H

#include <stdbool.h>

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
    bool is_secure; /* https, and so it stays where it is redirected */
    bool is_signed; /* of a bucket: with the four below */
    char *signing;  /* algorithm, region and service, as libcurl wants them */
    char *key_id;
    char *secret;
    char *token; /* of a session, or NULL */
};

/* A file. 0, or what failed. Clear it in any case. */
int vv_remote_place_of(const char *path, struct vv_remote_place *place);

/* An object of a bucket, to be changed: `query` is what is asked of it, in the
 * order in which it is signed, or "". */
int vv_remote_place_of_change(
    const char *path, const char *query, struct vv_remote_place *place);

/* The list of what is in a directory of a bucket, from `continued` on, which
 * may be NULL. */
int vv_remote_place_of_list(const char *directory, const char *continued,
    struct vv_remote_place *place);

void vv_remote_place_clear(struct vv_remote_place *place);

/* What the keys of a directory's names begin with, with its '/'; "" for that of
 * the bucket itself. To be freed; NULL without memory. */
char *vv_remote_prefix_of(const char *directory);

#endif
