/* msgpack_in.h - msgpack (github.com/msgpack/msgpack, spec.md) in a file, item
 * by item: what is passed over is not read, however large it is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MSGPACK_IN_H
#define VV_MSGPACK_IN_H

#include <varve/error.h>

#include "buffer.h"
#include "window.h"

struct vv_msgpack {
    /* to fill in */
    struct vv_window window;
    uint64_t at;  /* the next item */
    uint64_t end; /* of the file, or of what it is read from */
};

enum vv_msgpack_kind {
    VV_MSGPACK_NOTHING, /* what 0xc1 is: no item */
    VV_MSGPACK_NIL,
    VV_MSGPACK_BOOL,
    VV_MSGPACK_INTEGER,
    VV_MSGPACK_UNSIGNED, /* a whole number from 2^63 on */
    VV_MSGPACK_FLOAT,    /* of 32 bits, which are made 64 */
    VV_MSGPACK_REAL,
    VV_MSGPACK_TEXT,
    VV_MSGPACK_BYTES,
    VV_MSGPACK_LIST,
    VV_MSGPACK_MAP,
    VV_MSGPACK_EXTENSION,
};

struct vv_msgpack_item {
    /* to read */
    enum vv_msgpack_kind kind;
    int type;       /* of an extension */
    uint64_t bits;  /* a bool or number; of a list the items that follow, of a
                       map the pairs */
    uint64_t begin; /* where it begins */
    uint64_t at;    /* the bytes of a text, bytes or an extension */
    uint64_t size;
};

/* The next item, behind which it goes on: behind its bytes, and before the
 * first of its items. VARVE_CORRUPT for what is none; VARVE_TRUNCATED where it
 * is not all there, or has more items than could be. `what` is what it should
 * be, for messages. */
varve_status vv_msgpack_next(
    struct vv_msgpack *in, const char *what, struct vv_msgpack_item *item);

/* Appends the bytes of an item. */
varve_status vv_msgpack_take(struct vv_msgpack *in,
    const struct vv_msgpack_item *item, struct vv_buffer *bytes);

/* What there was to find: `path: offset N: expected this, found that`. */
varve_status vv_msgpack_fail(const struct vv_msgpack *in, varve_status status,
    uint64_t at, const char *expected, const char *found);

/* What kind it is, in words. */
const char *vv_msgpack_word(enum vv_msgpack_kind kind);

#endif
