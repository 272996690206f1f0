/* remote_parts.h - Sends several parts of an upload at once.
 *
 * One thread at a time calls the functions; the requests have threads of their
 * own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_PARTS_H
#define VV_REMOTE_PARTS_H

#include "remote_request.h"

/* Bytes from the beginning of a part on. */
struct vv_remote_bytes {
    /* own */
    unsigned char *bytes;
    size_t room;
    size_t size;
    bool is_sent; /* and not changed since */
};

struct vv_remote_part {
    char *tag; /* NULL: it is not there */
    unsigned char md5[VV_REMOTE_MD5_SIZE];
};

struct vv_remote_parts;

/* NULL without memory. */
struct vv_remote_parts *vv_remote_parts_new(
    const struct vv_remote_settings *settings);

/* Ends what is on its way, and waits for it. In a child process, which has none
 * of the threads, nothing is freed. Takes NULL. */
void vv_remote_parts_free(struct vv_remote_parts *p);

/* Sends the bytes of a block as the part with a number. Waits while as many
 * parts as `concurrency` says are on their way, or one that is larger than
 * `part_size` would make them more bytes. With `moves` the block gets other
 * memory, or none, and is empty; else its bytes must stay until
 * vv_remote_parts_wait. `query` is freed. Fails with what any part has failed
 * with. */
int vv_remote_parts_send(struct vv_remote_parts *p, const char *path,
    char *query, struct vv_remote_bytes *block, unsigned number, bool moves);

/* Waits until no part is on its way. */
int vv_remote_parts_wait(struct vv_remote_parts *p);

/* A part that the store has; an empty one where it has none. */
struct vv_remote_part vv_remote_parts_at(
    const struct vv_remote_parts *p, unsigned number);

#endif
