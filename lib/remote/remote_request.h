/* remote_request.h - one request that changes what a store has, or asks what it
 * has become.
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
    bool is_new;             /* only where there is none of that name */
    const char *match;       /* only where the object has this ETag; or NULL */
    const char *token;       /* of who writes it, or NULL */
    const atomic_bool *stop; /* set once nobody wants it done; or NULL */
    const char *end;         /* that a good answer has in its text; or NULL */
    bool is_once;            /* libcurl does not send it again by itself */
    int64_t deadline;        /* of all attempts; 0: set by the first one */
    /* to read */
    struct vv_remote_answer answer;
    struct vv_remote_text text;            /* of the answer; free its `at` */
    unsigned char md5[VV_REMOTE_MD5_SIZE]; /* of the bytes of a PUT */
    enum vv_remote_verdict verdict;
    bool is_unsure; /* it may have been done, whatever the verdict */
    int number;
    char why[700];
};

/* Once. The bytes are signed, so that a store refuses others; the verdict is
 * about status, and whether all of the answer came. */
void vv_remote_change_once(struct vv_remote_change *c);

/* As often as the settings say. For what may be done twice. 0, or what
 * failed. */
int vv_remote_change(struct vv_remote_change *c);

/* Another verdict, by whoever knows more of the answer. */
void vv_remote_change_find(struct vv_remote_change *c,
    enum vv_remote_verdict verdict, int number, const char *why);

/* Says why it failed, after so many attempts, and gives -number. */
int vv_remote_change_fail(const struct vv_remote_change *c, unsigned failed);

/* Whether the tag of an answer is a sum of bytes, and no name of a store's
 * own. */
bool vv_remote_is_sum(const struct vv_remote_answer *a);

/* Whether the tag of the answer may be that of bytes with this sum. One in a
 * form of its own says nothing. */
bool vv_remote_tag_fits(const struct vv_remote_answer *a,
    const unsigned char md5[VV_REMOTE_MD5_SIZE]);

#endif
