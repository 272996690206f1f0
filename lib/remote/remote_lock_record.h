/* remote_lock_record.h - writes and parses the text of the object that is the
 * lock of a manager in a store.
 *
 *     varve lock 1
 *     host node-7
 *     pid 4711
 *     run 01J9ZQ4W3E8N6T5R2Y7XKBVCDM
 *     since 2026-10-01T10:00:00Z
 *     state held
 *     token 0123456789abcdef0123456789abcdef
 *     term_ms 60000
 *     renewal 17
 *
 * The first four lines are those of a lock on a disk. Each PUT of an owner has
 * another renewal, so that its ETag differs from all before it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_LOCK_RECORD_H
#define VV_REMOTE_LOCK_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VV_REMOTE_RECORD_SIZE = 512, /* of the text, with its NUL */
    VV_REMOTE_HOST_SIZE = 65,
    VV_REMOTE_RUN_SIZE = 64,
    VV_REMOTE_SINCE_SIZE = 21, /* 2026-10-01T10:00:00Z */
    VV_REMOTE_MOST_TERM_MS = 24 * 3600 * 1000
};

struct vv_remote_lock_record {
    /* to fill in */
    bool is_held; /* false: its last owner has released it */
    char host[VV_REMOTE_HOST_SIZE];
    uint64_t pid;
    char run[VV_REMOTE_RUN_SIZE];     /* its identity */
    char since[VV_REMOTE_SINCE_SIZE]; /* by the owner's clock, for messages */
    char token[33];                   /* 32 hexadecimal digits: which owner */
    uint64_t term_ms; /* it expires once it was not renewed for so long; from 1
                         to VV_REMOTE_MOST_TERM_MS */
    uint64_t renewal;
};

/* Returns the size of the text. What is not printable in `host`, `run` and
 * `since` becomes '_', and so does an empty one. */
size_t vv_remote_lock_record_write(const struct vv_remote_lock_record *record,
    char text[VV_REMOTE_RECORD_SIZE]);

/* False where the text is no such record: of another version, or something
 * else. */
bool vv_remote_lock_record_parse(
    const char *text, size_t size, struct vv_remote_lock_record *record);

#endif
