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

#include <varve/error.h>

#include "buffer.h"
#include "failure.h"
#include "foreign.h"

/* --- Bytes ---------------------------------------------------------------- */

/* Reads the header of a GGUF file sequentially: little-endian numbers, and
 * strings preceded by their length.
 *
 * The file is read through a small window, so skipping data costs no memory.
 * Every length is checked against the rest of the file. */

/* The tensor or metadata that is being read, for error messages. */
struct vv_gguf_item {
    const char *kind; /* "tensor" or "metadata"; NULL if there is none */
    uint64_t number, count;
    const struct vv_buffer *name; /* NULL until it is known */
};

struct vv_gguf_bytes {
    const struct vv_foreign *foreign;
    uint32_t file;    /* number in `foreign` */
    const char *path; /* path of this file */
    uint64_t size;
    uint64_t at;              /* offset of the next byte; never past the end */
    bool is_cut;              /* the last string was cut, see
                                 vv_gguf_take_string */
    struct vv_gguf_item item; /* to fill in */
    uint64_t window_begin;
    size_t window_size;
    unsigned char window[4096];
};

void vv_gguf_begin(
    struct vv_gguf_bytes *in, const struct vv_foreign *foreign, uint32_t file);

/* Fails with a message preceded by the path, the current item and an offset in
 * the file. */
varve_status vv_gguf_fail(const struct vv_gguf_bytes *in, uint64_t at,
    varve_status status, varve_error *error, const char *format, ...)
    VV_PRINTF(5, 6);

/* These functions read a number. On failure the position is not changed. `what`
 * describes the number in messages. They return VARVE_TRUNCATED if the file
 * ends before. */
varve_status vv_gguf_take32(struct vv_gguf_bytes *in, uint32_t *value,
    const char *what, varve_error *error);
varve_status vv_gguf_take64(struct vv_gguf_bytes *in, uint64_t *value,
    const char *what, varve_error *error);

/* Reads up to 8 bytes as a little-endian number. */
varve_status vv_gguf_take_number(struct vv_gguf_bytes *in, size_t size,
    uint64_t *value, const char *what, varve_error *error);

/* Reads a string into `text`, or skips it if `text` is NULL. A string of more
 * than 64 KiB is cut after a NUL, which valid text does not contain, and
 * `is_cut` is set: thus a hole in a sparse file takes no memory. */
varve_status vv_gguf_take_string(struct vv_gguf_bytes *in,
    struct vv_buffer *text, const char *what, varve_error *error);

/* Skips `count` items of `size` bytes. */
varve_status vv_gguf_skip(struct vv_gguf_bytes *in, uint64_t count, size_t size,
    const char *what, varve_error *error);

/* --- Values --------------------------------------------------------------- */

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

struct vv_gguf_value {
    enum vv_gguf_kind kind;
    uint64_t bits; /* of a number or bool, as stored in the file */
};

/* Reads a value and its type, which precedes it. Sets `text` to the value, or
 * to nothing for an array. Returns VARVE_TOO_NEW for an unknown type. */
varve_status vv_gguf_take_value(struct vv_gguf_bytes *in,
    struct vv_gguf_value *value, struct vv_buffer *text, varve_error *error);

#endif
