/* remote_request.h - Sends one request that changes an object of a store, or
 * that queries its state.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_CHANGE_H
#define VV_REMOTE_CHANGE_H

#include "remote_digest.h"
#include "remote_get.h"

enum vv_remote_method {
    VV_REMOTE_PUT,
    VV_REMOTE_POST,
    VV_REMOTE_HEAD,
    VV_REMOTE_DELETE
};

struct vv_remote_change {
    /* to fill in */
    const struct vv_remote_settings *settings;
    const char *path;
    const char *query; /* as in remote_url.h */
    enum vv_remote_method method;
    const unsigned char *bytes;
    size_t size;
    bool is_new;       /* only if the name does not exist */
    const char *match; /* only if the object has this ETag; or NULL */
    const char *token; /* token of the upload, or NULL */
    /* set when the request is no longer needed; or NULL */
    const atomic_bool *stop;
    const char *end; /* text that a successful response must contain; or NULL */
    bool is_once;    /* libcurl must not resend it by itself */
    int64_t deadline; /* of all attempts; 0: set by the first one */
    /* to read */
    struct vv_remote_answer answer;
    /* body of the response; the caller frees its `at` */
    struct vv_remote_text text;
    unsigned char md5[VV_REMOTE_MD5_SIZE]; /* of the body of a PUT */
    enum vv_remote_verdict verdict;
    bool is_unsure; /* it may have been executed, whatever the verdict */
    int number;
    char why[700];
};

/* Makes one attempt. The bytes are signed, so that a store refuses damaged
 * ones. The verdict depends on the status and the completeness of the
 * response. */
void vv_remote_change_once(struct vv_remote_change *c);

/* Makes as many attempts as the settings allow. Only for idempotent requests.
 * Returns 0 or a failure. */
int vv_remote_change(struct vv_remote_change *c);

/* Replaces the verdict, for callers that examine the response further. */
void vv_remote_change_find(struct vv_remote_change *c,
    enum vv_remote_verdict verdict, int number, const char *why);

/* Stores the reason of the failure after `failed` attempts, and returns
 * -number. */
int vv_remote_change_fail(const struct vv_remote_change *c, unsigned failed);

/* Returns true if the ETag of a response is a checksum, and not an identifier
 * in another form. */
bool vv_remote_is_sum(const struct vv_remote_answer *a);

/* Returns false if the ETag of the response is a checksum of other bytes than
 * those with this MD5. An ETag in another form gives no information. */
bool vv_remote_tag_fits(const struct vv_remote_answer *a,
    const unsigned char md5[VV_REMOTE_MD5_SIZE]);

#endif
