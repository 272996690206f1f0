/* gguf_bytes.h - the header of a GGUF file from its beginning on: little-endian
 * numbers, strings with their length before them.
 *
 * It is read through a window, so that what is skipped costs no memory, however
 * large it is. Every length is compared with what is left of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GGUF_BYTES_H
#define VV_GGUF_BYTES_H

#include <varve/error.h>

#include "buffer.h"
#include "failure.h"
#include "foreign.h"

/* The tensor or metadata that is read, for messages. */
struct vv_gguf_item {
    const char *kind; /* "tensor", "metadata"; NULL: none */
    uint64_t number, count;
    const struct vv_buffer *name; /* NULL until it is known */
};

struct vv_gguf_bytes {
    const struct vv_foreign *foreign;
    uint32_t file;    /* its number in `foreign` */
    const char *path; /* of it */
    uint64_t size;
    uint64_t at;              /* the next byte; never past the end */
    bool is_cut;              /* the last string, see below */
    struct vv_gguf_item item; /* to fill in */
    uint64_t window_begin;
    size_t window_size;
    unsigned char window[4096];
};

void vv_gguf_begin(
    struct vv_gguf_bytes *in, const struct vv_foreign *foreign, uint32_t file);

/* Fails with the path, the item that is read, and an offset in the file before
 * the message. */
varve_status vv_gguf_fail(const struct vv_gguf_bytes *in, uint64_t at,
    varve_status status, varve_error *error, const char *format, ...)
    VV_PRINTF(5, 6);

/* Each leaves `in` before what it could not take. `what` is a word or two for
 * messages: VARVE_TRUNCATED where the file ends before. */
varve_status vv_gguf_take32(struct vv_gguf_bytes *in, uint32_t *value,
    const char *what, varve_error *error);
varve_status vv_gguf_take64(struct vv_gguf_bytes *in, uint64_t *value,
    const char *what, varve_error *error);

/* Up to 8 bytes as a little-endian number. */
varve_status vv_gguf_take_number(struct vv_gguf_bytes *in, size_t size,
    uint64_t *value, const char *what, varve_error *error);

/* A string becomes the content of `text`, which may be NULL to skip it. One of
 * more than 64 KiB is cut behind a NUL, which no text has, and `is_cut` is set:
 * a hole in a sparse file takes no memory. */
varve_status vv_gguf_take_string(struct vv_gguf_bytes *in,
    struct vv_buffer *text, const char *what, varve_error *error);

/* `count` things of `size` bytes. */
varve_status vv_gguf_skip(struct vv_gguf_bytes *in, uint64_t count, size_t size,
    const char *what, varve_error *error);

#endif
