/* cbor_in.h - CBOR items pulled one at a time from untrusted bytes.
 *
 * Only the profile of docs/format.md passes: integers, byte strings, text
 * (UTF-8 without NUL), arrays, maps, tags from 24 up, false and true; definite
 * lengths; the shortest head. Nothing is allocated, nothing recurses. Failures
 * are VARVE_CORRUPT and name the offset.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CBOR_IN_H
#define VV_CBOR_IN_H

#include <varve/error.h>

enum vv_cbor_kind {
    VV_CBOR_OTHER, /* not of the profile; never handed out */
    VV_CBOR_UNSIGNED,
    VV_CBOR_NEGATIVE,
    VV_CBOR_BYTES,
    VV_CBOR_TEXT,
    VV_CBOR_ARRAY,
    VV_CBOR_MAP,
    VV_CBOR_TAG,
    VV_CBOR_BOOLEAN,
};

/* A map of no pairs does not count. */
enum { VV_CBOR_MOST_MAPS = 64 };

struct vv_cbor_item {
    enum vv_cbor_kind kind;
    uint64_t number;      /* the value; n of a negative -1 - n; bytes of a
                             string; items of an array; pairs of a map; the
                             number of a tag; 0 or 1 */
    const uint8_t *bytes; /* of a string */
};

struct vv_cbor_in {
    const char *path; /* for messages */
    uint64_t base;    /* where in the file the bytes begin, for messages */
    const uint8_t *bytes;
    size_t size;
    size_t at; /* the next item */
    varve_error *error;
};

/* The next item. Strings are in the bytes whole, and an array or map has no
 * more items than bytes are left. */
varve_status vv_cbor_next(struct vv_cbor_in *in, struct vv_cbor_item *item);

/* The next item, which must be of a kind. */
varve_status vv_cbor_expect(
    struct vv_cbor_in *in, enum vv_cbor_kind kind, struct vv_cbor_item *item);

/* Passes over the next item with all that is in it. The keys of its maps are
 * sorted and unique. More than VV_CBOR_MOST_MAPS of them, one within the other,
 * are VARVE_LIMIT. */
varve_status vv_cbor_skip(struct vv_cbor_in *in);

/* Nothing may be left. */
varve_status vv_cbor_end(struct vv_cbor_in *in);

/* "an integer" and so on. */
const char *vv_cbor_kind_text(enum vv_cbor_kind kind);

#endif
