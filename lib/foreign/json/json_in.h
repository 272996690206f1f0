/* json_in.h - JSON (RFC 8259) pulled one item at a time from untrusted bytes.
 *
 * Nothing is allocated, nothing recurses, and nothing is kept about what is
 * open: how deep a text may go is how deep the caller pulls. Strings are handed
 * out as they stand between their quotes, with valid UTF-8, valid escapes and
 * no half of a surrogate pair. Failures are VARVE_CORRUPT and name the offset.
 *
 *     vv_json_expect(in, VV_JSON_OBJECT, &item);
 *     while (!vv_json_member(in, &name, &more) && more)
 *         vv_json_value(in, &item); ... and what is in it
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_JSON_IN_H
#define VV_JSON_IN_H

#include <varve/error.h>

#include "buffer.h"

enum vv_json_kind {
    VV_JSON_OBJECT, /* its beginning; members follow */
    VV_JSON_ARRAY,  /* its beginning; elements follow */
    VV_JSON_STRING,
    VV_JSON_UNSIGNED, /* an integer of 64 bits, without sign, fraction or
                         exponent */
    VV_JSON_NUMBER,   /* any other number; only its text is known */
    VV_JSON_TRUE,
    VV_JSON_FALSE,
    VV_JSON_NULL,
};

struct vv_json_item {
    /* to read */
    enum vv_json_kind kind;
    size_t at;        /* where it begins, in the bytes */
    const char *text; /* what is between the quotes; the digits of a number */
    size_t size;      /* of that */
    size_t length;    /* bytes of a string once it is unescaped */
    bool has_nul;     /* \u0000 is in the string */
    uint64_t number;
};

struct vv_json_in {
    /* to fill in */
    const char *path; /* for messages */
    uint64_t base;    /* where in the file the bytes begin, for messages */
    const char *bytes;
    size_t size;
    size_t at;    /* what comes next; may be set to an item's, with is_open
                     false */
    bool is_open; /* an object or array has just begun */
    const struct vv_json_item *of; /* the name of what is read, for messages;
                                      NULL: none */
    varve_error *error;
};

/* The most that may be open in what is skipped: VARVE_LIMIT. */
enum { VV_JSON_SKIP_DEPTH = 64 };

/* The next value: all of it, or the beginning of an object or array. */
varve_status vv_json_value(struct vv_json_in *in, struct vv_json_item *item);

/* The next value, which must be of a kind. */
varve_status vv_json_expect(
    struct vv_json_in *in, enum vv_json_kind kind, struct vv_json_item *item);

/* In an object: the name of the next member, whose value comes then; or, with
 * *more false, its end. */
varve_status vv_json_member(
    struct vv_json_in *in, struct vv_json_item *name, bool *more);

/* In an array: whether there is a further element, or, with *more false, its
 * end. */
varve_status vv_json_element(struct vv_json_in *in, bool *more);

/* Passes over the mark of UTF-8 that some editors write at the beginning. */
void vv_json_skip_mark(struct vv_json_in *in);

/* Passes over the next value with all that is in it. */
varve_status vv_json_skip(struct vv_json_in *in);

/* Nothing but white space may be left. */
varve_status vv_json_end(struct vv_json_in *in);

/* Appends a string, unescaped. */
void vv_json_unescape(const struct vv_json_item *string, struct vv_buffer *to);

/* The order of two strings by their unescaped bytes, as memcmp; both as they
 * stand behind their opening quote, up to the closing one. */
int vv_json_compare(const char *a, const char *b);

/* Whether `a` begins with `b`, both likewise. */
bool vv_json_begins(const char *a, const char *b);

/* Whether a string is this text, however it is escaped. */
bool vv_json_is(const struct vv_json_item *string, const char *text);

/* Whether the first byte of a text that is no white space begins an object. */
bool vv_json_begins_object(const unsigned char *text, size_t size);

/* How many bytes of an item's text a message shows: the precision of "%.*s". */
int vv_json_shown(const struct vv_json_item *item);

/* "a string" and so on. */
const char *vv_json_kind_text(enum vv_json_kind kind);

/* Fails at an item: "<path>: JSON at offset <at>: expected ..., found ...",
 * with the name that is in `of` behind the path. */
varve_status vv_json_fail(const struct vv_json_in *in, size_t at,
    const char *expected, const char *found);

#endif
