/* msgpack_in.h - Parses msgpack (github.com/msgpack/msgpack, spec.md) in a
 * file, item by item. Items that are skipped are not read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MSGPACK_IN_H
#define VV_MSGPACK_IN_H

#include <varve/error.h>

#include "buffer.h"
#include "foreign.h"

struct vv_msgpack {
    /* to fill in */
    struct vv_window window;
    uint64_t at;  /* offset of the next item */
    uint64_t end; /* of the file, or of the enclosing item */
};

enum vv_msgpack_kind {
    VV_MSGPACK_NOTHING, /* 0xc1, which is not an item */
    VV_MSGPACK_NIL,
    VV_MSGPACK_BOOL,
    VV_MSGPACK_INTEGER,
    VV_MSGPACK_UNSIGNED, /* an integer of 2^63 or more */
    VV_MSGPACK_FLOAT,    /* 32 bits, converted to 64 */
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
    uint64_t bits;  /* a bool or number; for a list the number of its items, for
                       a map of its pairs */
    uint64_t begin; /* offset of the item */
    uint64_t at;    /* offset of the bytes of a text, bytes or an extension */
    uint64_t size;
};

/* Reads the next item and moves past its bytes, or before the first of its
 * items. Returns VARVE_CORRUPT if the bytes are not an item, and
 * VARVE_TRUNCATED if the item is incomplete or has more items than there are
 * bytes. `what` describes the expected item in messages. */
varve_status vv_msgpack_next(
    struct vv_msgpack *in, const char *what, struct vv_msgpack_item *item);

/* Appends the bytes of an item. */
varve_status vv_msgpack_take(struct vv_msgpack *in,
    const struct vv_msgpack_item *item, struct vv_buffer *bytes);

/* Fails with `path: offset N: expected ..., found ...`. */
varve_status vv_msgpack_fail(const struct vv_msgpack *in, varve_status status,
    uint64_t at, const char *expected, const char *found);

/* Returns the name of a kind for messages. */
const char *vv_msgpack_word(enum vv_msgpack_kind kind);

#endif
