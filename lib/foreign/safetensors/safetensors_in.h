/* safetensors_in.h - safetensors files as a checkpoint.
 *
 *     begin; for each file: read, add; end
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_IN_H
#define VV_SAFETENSORS_IN_H

#include "foreign_format.h"
#include "safetensors_header.h"

/* A single file: 8 bytes of the size of its header, the header, the data. */
extern const struct vv_foreign_format vv_safetensors_format;

/* The text under which the save counter stands. */
#define VV_SAFETENSORS_COUNTER "save_counter"

/* The most bytes of a header, as in the reference implementation. */
enum { VV_SAFETENSORS_MOST_HEADER = 100 * 1000 * 1000 };

struct vv_safetensors_bytes {
    char *bytes; /* owned; NULL for files that are none of these */
    size_t size;
};

struct vv_safetensors {
    struct vv_foreign *foreign;
    struct vv_draft *draft;
    struct vv_buffer headers;    /* struct vv_safetensors_bytes, by file */
    struct vv_buffer tensors;    /* struct vv_safetensors_tensor */
    struct vv_buffer texts;      /* struct vv_safetensors_text */
    size_t first;                /* tensor of the file that was read last */
    struct vv_buffer name, text; /* unescaped; for the moment */
};

void vv_safetensors_begin(struct vv_safetensors *s, struct vv_foreign *foreign,
    struct vv_draft *draft);

/* Reads and checks the header of a file; files come in the order of their
 * numbers. */
varve_status vv_safetensors_read(
    struct vv_safetensors *s, uint32_t file, varve_error *error);

/* The header of a file that was read, from its beginning. */
struct vv_json_in vv_safetensors_json(
    const struct vv_safetensors *s, uint32_t file, varve_error *error);

/* The tensors of the file that was read last. */
struct vv_safetensors_tensor *vv_safetensors_tensors(
    const struct vv_safetensors *s, size_t *count);

/* Tells the draft of them. */
varve_status vv_safetensors_add(struct vv_safetensors *s, varve_error *error);

/* Unless `status` says that something failed, tells the draft the text metadata
 * of all files, and the names that it says are further ones of tensors. Frees
 * everything and returns `status` or what failed now. */
varve_status vv_safetensors_end(
    struct vv_safetensors *s, varve_status status, varve_error *error);

#endif
