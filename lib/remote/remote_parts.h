/* remote_parts.h - Uploads several parts of a file concurrently.
 *
 * Only one thread at a time may call these functions. The requests run on
 * internal threads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_PARTS_H
#define VV_REMOTE_PARTS_H

#include "remote_request.h"

/* The bytes of a part, from its start. */
struct vv_remote_bytes {
    /* own */
    unsigned char *bytes;
    size_t room;
    size_t size;
    bool is_sent; /* sent, and not changed since */
};

struct vv_remote_part {
    char *tag; /* ETag; NULL: not uploaded */
    unsigned char md5[VV_REMOTE_MD5_SIZE];
};

struct vv_remote_parts;

/* Returns NULL if there is no memory. */
struct vv_remote_parts *vv_remote_parts_new(
    const struct vv_remote_settings *settings);

/* Cancels all requests, and waits for them. In a forked child, which does not
 * have the threads, frees nothing. Accepts NULL. */
void vv_remote_parts_free(struct vv_remote_parts *p);

/* Uploads a block as the part with this number. Waits while `concurrency` parts
 * are in progress, or while the bytes in progress would exceed `concurrency`
 * times `part_size`. With `moves`, the block gets other memory, or none, and is
 * empty afterwards. Otherwise its bytes must remain valid until
 * vv_remote_parts_wait. Frees `query`. Returns the failure of any part. */
int vv_remote_parts_send(struct vv_remote_parts *p, const char *path,
    char *query, struct vv_remote_bytes *block, unsigned number, bool moves);

/* Waits until no part is in progress. Returns the failure of any part. */
int vv_remote_parts_wait(struct vv_remote_parts *p);

/* Returns a part that was uploaded, or an empty one. */
struct vv_remote_part vv_remote_parts_at(
    const struct vv_remote_parts *p, unsigned number);

#endif
