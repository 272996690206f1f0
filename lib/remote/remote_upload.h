/* remote_upload.h - The upload of a file: buffers its bytes, and sends its
 * parts.
 *
 * A small file is uploaded by one PUT. The parts of a larger one are uploaded
 * when they are full, several concurrently. The first part stays in memory to
 * the end, because the header is written last. The object is not visible before
 * it is published.
 *
 * Only one thread at a time may use it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_UPLOAD_H
#define VV_REMOTE_UPLOAD_H

#include "remote_parts.h"

enum {
    VV_REMOTE_PART = 8 << 20,     /* default size of a part */
    VV_REMOTE_MOST_PARTS = 10000, /* limit of the stores */
    /* number of parts of equal size; then the size doubles */
    VV_REMOTE_PARTS_ALIKE = 1000
};

struct vv_remote_upload {
    /* to read */
    const struct vv_remote_settings *settings;
    char *path; /* the final path */
    char token[VV_REMOTE_TOKEN_SIZE];
    uint64_t size;
    char *id; /* upload ID; NULL: no part was uploaded yet */
    /* own */
    size_t part;      /* size of the first part, and of those equal to it */
    bool is_expected; /* the size of the file is known */
    struct vv_remote_bytes first;
    struct vv_remote_bytes window; /* the part that is being filled */
    uint64_t begin;                /* offset of the window */
    unsigned number;               /* part number of the window */
    struct vv_remote_parts *parts; /* NULL: no part was sent yet */
};

/* Creates an upload without a request. Returns NULL if there is no memory. */
struct vv_remote_upload *vv_remote_upload_new(
    const struct vv_remote_settings *settings, const char *path);
void vv_remote_upload_free(struct vv_remote_upload *u);

/* Changes the path. Returns -EXDEV if parts were already sent for the first
 * one. */
int vv_remote_upload_call(struct vv_remote_upload *u, const char *path);

/* Sets the size of the file, if known. */
void vv_remote_upload_expect(struct vv_remote_upload *u, uint64_t size);

/* Writes all bytes, and returns their number or a failure: -ESPIPE if a part
 * that was sent would have to change. Gaps are filled with zeros. */
int64_t vv_remote_upload_write(struct vv_remote_upload *u, const void *bytes,
    size_t size, uint64_t offset);

/* Uploads all parts. A file of one part is not uploaded before it is
 * published. */
int vv_remote_upload_flush(struct vv_remote_upload *u);

/* Computes the ETag that the whole object will have, if the ETags of the store
 * are checksums; in the form of remote_answer.h. */
void vv_remote_upload_tag(
    const struct vv_remote_upload *u, char tag[VV_REMOTE_TAG_SIZE]);

/* Returns the body of CompleteMultipartUpload, to be freed; NULL if there is no
 * memory. */
char *vv_remote_upload_order(const struct vv_remote_upload *u);

/* Aborts the upload in the store. */
void vv_remote_upload_abort(struct vv_remote_upload *u);

#endif
