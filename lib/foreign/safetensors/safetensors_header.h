/* safetensors_header.h - the header of a safetensors file, believed only after
 * every rule of it was checked.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_HEADER_H
#define VV_SAFETENSORS_HEADER_H

#include <varve/error.h>

#include "buffer.h"
#include "json_in.h"
#include "safetensors_dtype.h"

/* Names stay in the header, as they stand there behind their opening quotes:
 * see vv_json_compare and vv_safetensors_item. */
struct vv_safetensors_tensor {
    const char *name;
    uint64_t begin, end; /* in the data */
    uint32_t file;
    uint32_t node;    /* in the draft; set by whoever tells it */
    bool is_left_out; /* of the draft; set by whoever matches it */
};

struct vv_safetensors_text {
    const char *name; /* its text follows */
    uint32_t file;
};

/* What the object of a tensor says. */
struct vv_safetensors_info {
    const struct vv_safetensors_dtype *dtype;
    varve_tensor type; /* its dtype is 0 if there is none of ours */
    uint64_t begin, end;
};

/* Appends what a header holds to arrays of vv_safetensors_tensor, in the order
 * of their data, and of vv_safetensors_text, sorted by name. Of what it appends
 * it has checked all: the grammar, that names are unique, that types, shapes
 * and sizes agree, and that the tensors take all `data_size` bytes of data, one
 * behind the other. VARVE_CORRUPT, VARVE_TRUNCATED where they need more data,
 * VARVE_TOO_NEW for an unknown type, VARVE_LIMIT for a rank that a checkpoint
 * of ours cannot have, VARVE_NO_MEMORY. Names may be any. */
varve_status vv_safetensors_header(struct vv_json_in *in, uint64_t data_size,
    uint32_t file, struct vv_buffer *tensors, struct vv_buffer *texts);

/* For qsort and bsearch: tensors by name, and by where their data is. */
int vv_safetensors_by_name(const void *a, const void *b);
int vv_safetensors_by_data(const void *a, const void *b);

/* The string at a name, and what the object behind it says; both were checked,
 * and `in` is the header that they are in. */
void vv_safetensors_item(
    struct vv_json_in *in, const char *name, struct vv_json_item *item);
varve_status vv_safetensors_info(
    struct vv_json_in *in, const char *name, struct vv_safetensors_info *info);

#endif
