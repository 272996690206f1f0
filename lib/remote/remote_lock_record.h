/* remote_lock_record.h - Writes and parses the text of the object that is the
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
 * The first four lines are those of a lock file on a disk. Each PUT of an owner
 * increments `renewal`, so that its ETag differs from all before.
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
    bool is_held; /* false: released by its last owner */
    char host[VV_REMOTE_HOST_SIZE];
    uint64_t pid;
    char run[VV_REMOTE_RUN_SIZE]; /* identity of the run */
    /* time by the owner's clock, for messages */
    char since[VV_REMOTE_SINCE_SIZE];
    char token[33]; /* 32 hexadecimal digits that identify the owner */
    /* time without renewal after which the lock expires; from 1 to
     * VV_REMOTE_MOST_TERM_MS */
    uint64_t term_ms;
    uint64_t renewal;
};

/* Writes the text and returns its size. In `host`, `run` and `since`,
 * unprintable characters become '_', and so does an empty string. */
size_t vv_remote_lock_record_write(const struct vv_remote_lock_record *record,
    char text[VV_REMOTE_RECORD_SIZE]);

/* Returns false if the text is not such a record, or is one of another
 * version. */
bool vv_remote_lock_record_parse(
    const char *text, size_t size, struct vv_remote_lock_record *record);

#endif
