/* cbor_in.h - Parses CBOR items of untrusted bytes one by one.
 *
 * Accepts only the profile of docs/format.md: integers, byte strings, text
 * (UTF-8 without NUL), arrays, maps, tags from 24 up, false and true; definite
 * lengths; shortest heads. It does not allocate memory or recurse. Failures are
 * VARVE_CORRUPT and contain the offset.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CBOR_IN_H
#define VV_CBOR_IN_H

#include <varve/error.h>

enum vv_cbor_kind {
    VV_CBOR_OTHER, /* not in the profile; never returned */
    VV_CBOR_UNSIGNED,
    VV_CBOR_NEGATIVE,
    VV_CBOR_BYTES,
    VV_CBOR_TEXT,
    VV_CBOR_ARRAY,
    VV_CBOR_MAP,
    VV_CBOR_TAG,
    VV_CBOR_BOOLEAN,
};

/* Maximum nesting of maps in vv_cbor_skip. Empty maps do not count. */
enum { VV_CBOR_MOST_MAPS = 64 };

struct vv_cbor_item {
    enum vv_cbor_kind kind;
    /* the value; for a negative n, -1 - n; the size of a string; the number of
     * items of an array, or of pairs of a map; the number of a tag; 0 or 1 for
     * a boolean */
    uint64_t number;
    const uint8_t *bytes; /* of a string */
};

struct vv_cbor_in {
    const char *path; /* for messages */
    uint64_t base;    /* offset of the bytes in the file, for messages */
    const uint8_t *bytes;
    size_t size;
    size_t at; /* offset of the next item */
    varve_error *error;
};

/* Reads the next item. Strings are guaranteed to be complete, and an array or
 * map cannot have more items than bytes remain. */
varve_status vv_cbor_next(struct vv_cbor_in *in, struct vv_cbor_item *item);

/* Reads the next item, which must be of the given kind. */
varve_status vv_cbor_expect(
    struct vv_cbor_in *in, enum vv_cbor_kind kind, struct vv_cbor_item *item);

/* Skips the next item with its contents. The keys of its maps must be sorted
 * and unique. Returns VARVE_LIMIT for more than VV_CBOR_MOST_MAPS nested
 * maps. */
varve_status vv_cbor_skip(struct vv_cbor_in *in);

/* Fails unless all bytes were read. */
varve_status vv_cbor_end(struct vv_cbor_in *in);

/* Returns "an integer" and similar texts. */
const char *vv_cbor_kind_text(enum vv_cbor_kind kind);

#endif
