/* safetensors_in.h - Reads safetensors files as a checkpoint, also several
 * files through their index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_IN_H
#define VV_SAFETENSORS_IN_H

#include "foreign_format.h"
#include "safetensors_header.h"

/* --- Files ---------------------------------------------------------------- */

/* Reads safetensors files as a checkpoint.
 *
 *     begin; for each file: read, add; end */

/* A single file: the size of the header (8 bytes), the header, the data. */
extern const struct vv_foreign_format vv_safetensors_format;

/* The name of the text that contains the save counter. */
#define VV_SAFETENSORS_COUNTER "save_counter"

/* The maximum size of a header, as in the reference implementation. */
enum { VV_SAFETENSORS_MOST_HEADER = 100 * 1000 * 1000 };

struct vv_safetensors_bytes {
    char *bytes; /* owned; NULL for other files */
    size_t size;
};

struct vv_safetensors {
    struct vv_foreign *foreign;
    struct vv_draft *draft;
    struct vv_buffer headers;    /* struct vv_safetensors_bytes, indexed by
                                    file */
    struct vv_buffer tensors;    /* struct vv_safetensors_tensor */
    struct vv_buffer texts;      /* struct vv_safetensors_text */
    size_t first;                /* index of the first tensor of the file that
                                    was read last */
    struct vv_buffer name, text; /* temporary, unescaped */
};

void vv_safetensors_begin(struct vv_safetensors *s, struct vv_foreign *foreign,
    struct vv_draft *draft);

/* Reads and validates the header of a file. Files must be read in the order of
 * their numbers. */
varve_status vv_safetensors_read(
    struct vv_safetensors *s, uint32_t file, varve_error *error);

/* Returns a parser at the start of the header of a file that was read. */
struct vv_json_in vv_safetensors_json(
    const struct vv_safetensors *s, uint32_t file, varve_error *error);

/* Returns the tensors of the file that was read last. */
struct vv_safetensors_tensor *vv_safetensors_tensors(
    const struct vv_safetensors *s, size_t *count);

/* Adds these tensors to the draft. */
varve_status vv_safetensors_add(struct vv_safetensors *s, varve_error *error);

/* If `status` is VARVE_OK, adds the text metadata of all files to the draft,
 * including the aliases of tensors. Frees everything and returns `status` or
 * the status of a new failure. */
varve_status vv_safetensors_end(
    struct vv_safetensors *s, varve_status status, varve_error *error);

/* --- Several files -------------------------------------------------------- */

/* Reads several safetensors files as one checkpoint, through the index that
 * Hugging Face stores beside them (`*.safetensors.index.json`). */

/* The candidate file is the index. It maps each tensor to a file beside it. */
extern const struct vv_foreign_format vv_safetensors_index_format;

#endif
