/* gguf_value.h - Reads the values of GGUF metadata as text.
 *
 * Integers are decimal, bools are true or false, and reals are the shortest
 * decimal that is read back as the same value (or nan, inf, -inf). Arrays,
 * which contain the vocabulary of tokenizers, are skipped; elements of variable
 * size are skipped one by one. Arrays can be nested up to 8 deep.
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
    uint64_t bits; /* of a number or bool, as stored in the file */
};

/* Reads a value and its type, which precedes it. Sets `text` to the value, or
 * to nothing for an array. Returns VARVE_TOO_NEW for an unknown type. */
varve_status vv_gguf_take_value(struct vv_gguf_bytes *in,
    struct vv_gguf_value *value, struct vv_buffer *text, varve_error *error);

#endif
