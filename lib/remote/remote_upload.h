/* remote_upload.h - a file on its way to a store: its bytes until they are
 * handed over, and its parts.
 *
 * A small file is one object that is put. Of a larger one each part goes as it
 * is full, several at once, but for the first, which stays here to the end
 * since a header may come last; nothing is to be seen in the store before it is
 * published.
 *
 * One thread at a time has it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_UPLOAD_H
#define VV_REMOTE_UPLOAD_H

#include "remote_parts.h"

enum {
    VV_REMOTE_PART = 8 << 20,     /* of whom nobody wants others */
    VV_REMOTE_MOST_PARTS = 10000, /* of a store */
    VV_REMOTE_PARTS_ALIKE = 1000  /* then they are twice as large */
};

struct vv_remote_upload {
    /* to read */
    const struct vv_remote_settings *settings;
    char *path; /* that it is to have */
    char token[VV_REMOTE_TOKEN_SIZE];
    uint64_t size;
    char *id; /* of its parts in the store; NULL: there are none yet */
    /* own */
    size_t part;      /* bytes of the first part, and of those like it */
    bool is_expected; /* how large it will be is known */
    struct vv_remote_bytes first;
    struct vv_remote_bytes window; /* the part that is filled */
    uint64_t begin;                /* its offset */
    unsigned number;               /* its number */
    struct vv_remote_parts *parts; /* NULL: none has been sent yet */
};

/* Asks nobody. NULL without memory. */
struct vv_remote_upload *vv_remote_upload_new(
    const struct vv_remote_settings *settings, const char *path);
void vv_remote_upload_free(struct vv_remote_upload *u);

/* Another path; -EXDEV once it is on its way to the first one. */
int vv_remote_upload_call(struct vv_remote_upload *u, const char *path);

/* How large it will be, if somebody knows. */
void vv_remote_upload_expect(struct vv_remote_upload *u, uint64_t size);

/* All of it, or what failed: -ESPIPE where a part that has gone would have to
 * change. What is left out is zeros. */
int64_t vv_remote_upload_write(struct vv_remote_upload *u, const void *bytes,
    size_t size, uint64_t offset);

/* Hands all parts over. A file of one part waits until it is put. */
int vv_remote_upload_flush(struct vv_remote_upload *u);

/* The tag that the whole will have, if the store's tags are sums; as in
 * remote_answer.h. */
void vv_remote_upload_tag(
    const struct vv_remote_upload *u, char tag[VV_REMOTE_TAG_SIZE]);

/* What the store is told to put together; to be freed, NULL without memory. */
char *vv_remote_upload_order(const struct vv_remote_upload *u);

/* Gives up what is in the store. */
void vv_remote_upload_abort(struct vv_remote_upload *u);

#endif
