/* json_in.h - Parses JSON (RFC 8259) from untrusted bytes, one item at a time.
 *
 * The parser does not allocate memory or recurse and keeps no stack of open
 * containers: the caller determines the nesting depth. Strings are returned as
 * they are between their quotes. They are valid UTF-8 with valid escape
 * sequences and without unpaired surrogates. Failures are VARVE_CORRUPT, and
 * the message contains the offset.
 *
 *     vv_json_expect(in, VV_JSON_OBJECT, &item);
 *     while (!vv_json_member(in, &name, &more) && more)
 *         vv_json_value(in, &item); ... and its contents
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_JSON_IN_H
#define VV_JSON_IN_H

#include <varve/error.h>

#include "buffer.h"

enum vv_json_kind {
    VV_JSON_OBJECT, /* start of an object; members follow */
    VV_JSON_ARRAY,  /* start of an array; elements follow */
    VV_JSON_STRING,
    VV_JSON_UNSIGNED, /* an unsigned 64-bit integer without sign, fraction or
                         exponent */
    VV_JSON_NUMBER,   /* any other number, as text only */
    VV_JSON_TRUE,
    VV_JSON_FALSE,
    VV_JSON_NULL,
};

struct vv_json_item {
    /* to read */
    enum vv_json_kind kind;
    size_t at;        /* offset in the bytes */
    const char *text; /* the text between the quotes, or the digits of a
                         number */
    size_t size;      /* size of `text` */
    size_t length;    /* size of a string after unescaping */
    bool has_nul;     /* the string contains \u0000 */
    uint64_t number;
};

struct vv_json_in {
    /* to fill in */
    const char *path; /* for error messages */
    uint64_t base;    /* offset of `bytes` in the file, for error messages */
    const char *bytes;
    size_t size;
    size_t at;    /* offset of the next item; can be set to that of an item,
                     with is_open false */
    bool is_open; /* an object or array has just begun */
    const struct vv_json_item *of; /* name of the tensor that is read, for error
                                      messages; can be NULL */
    varve_error *error;
};

/* The maximum nesting depth of a value that is skipped (VARVE_LIMIT). */
enum { VV_JSON_SKIP_DEPTH = 64 };

/* Reads the next value, or the start of an object or array. */
varve_status vv_json_value(struct vv_json_in *in, struct vv_json_item *item);

/* Reads the next value. Returns VARVE_CORRUPT if it has another kind. */
varve_status vv_json_expect(
    struct vv_json_in *in, enum vv_json_kind kind, struct vv_json_item *item);

/* Reads the name of the next member of an object; its value follows. Sets *more
 * to false at the end of the object. */
varve_status vv_json_member(
    struct vv_json_in *in, struct vv_json_item *name, bool *more);

/* Moves to the next element of an array. Sets *more to false at its end. */
varve_status vv_json_element(struct vv_json_in *in, bool *more);

/* Skips a UTF-8 byte order mark, which some editors write. */
void vv_json_skip_mark(struct vv_json_in *in);

/* Skips the next value, including nested ones. */
varve_status vv_json_skip(struct vv_json_in *in);

/* Returns VARVE_CORRUPT unless only white space is left. */
varve_status vv_json_end(struct vv_json_in *in);

/* Appends a string, unescaped. */
void vv_json_unescape(const struct vv_json_item *string, struct vv_buffer *to);

/* Compares two strings by their unescaped bytes, like memcmp. Both arguments
 * point after the opening quote and end with the closing one. */
int vv_json_compare(const char *a, const char *b);

/* Returns true if `a` begins with `b`; arguments as for vv_json_compare. */
bool vv_json_begins(const char *a, const char *b);

/* Returns true if a string is equal to `text` after unescaping. */
bool vv_json_is(const struct vv_json_item *string, const char *text);

/* Returns true if the first byte of a text that is not white space is '{'. */
bool vv_json_begins_object(const unsigned char *text, size_t size);

/* Returns the number of bytes of an item's text to show in a message, as the
 * precision of "%.*s". */
int vv_json_shown(const struct vv_json_item *item);

/* Returns "a string" or a similar description of a kind. */
const char *vv_json_kind_text(enum vv_json_kind kind);

/* Fails with "<path>: JSON at offset <at>: expected ..., found ...". If `of` is
 * set, its name follows the path. */
varve_status vv_json_fail(const struct vv_json_in *in, size_t at,
    const char *expected, const char *found);

#endif
