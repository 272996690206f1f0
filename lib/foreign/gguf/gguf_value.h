/* gguf_value.h - the values of GGUF metadata, as text.
 *
 * Integers are decimal, bools true or false, reals the shortest decimal that is
 * read back as the same (or nan, inf, -inf). Arrays, which hold the words of
 * tokenizers, are passed over: their elements too, one by one where they have
 * lengths of their own, and arrays within them to a depth of 8.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GGUF_VALUE_H
#define VV_GGUF_VALUE_H

#include "gguf_bytes.h"

/* The numbers are those in the file. */
enum vv_gguf_kind {
    VV_GGUF_UINT8,
    VV_GGUF_INT8,
    VV_GGUF_UINT16,
    VV_GGUF_INT16,
    VV_GGUF_UINT32,
    VV_GGUF_INT32,
    VV_GGUF_FLOAT32,
    VV_GGUF_BOOL,
    VV_GGUF_STRING,
    VV_GGUF_ARRAY,
    VV_GGUF_UINT64,
    VV_GGUF_INT64,
    VV_GGUF_FLOAT64,
};

enum { VV_GGUF_MOST_DEPTH = 8 };

struct vv_gguf_value {
    enum vv_gguf_kind kind;
    uint64_t bits; /* of a number or bool, as they are in the file */
};

/* Takes a value and its type, which stands before it. `text` is then what it
 * says, and empty for an array. VARVE_TOO_NEW for a type that nobody knows. */
varve_status vv_gguf_take_value(struct vv_gguf_bytes *in,
    struct vv_gguf_value *value, struct vv_buffer *text, varve_error *error);

#endif
