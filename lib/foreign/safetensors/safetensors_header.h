/* safetensors_header.h - Parses the header of a safetensors file and validates
 * all of its rules.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_HEADER_H
#define VV_SAFETENSORS_HEADER_H

#include <varve/tensor.h>
#include <varve/error.h>

#include "buffer.h"
#include "draft.h"
#include "json_in.h"
#include "target.h"

/* --- Element types -------------------------------------------------------- */

/* Maps element types of safetensors to those of Varve. */

struct vv_safetensors_dtype {
    const char *name;
    varve_dtype dtype; /* 0 if Varve does not have the type */
    unsigned bits;     /* size of an element */
};

/* In the order of the reference implementation, which writes tensors of the
 * last types first. */
enum { VV_SAFETENSORS_DTYPES = 22 };
extern const struct vv_safetensors_dtype
    vv_safetensors_dtypes[VV_SAFETENSORS_DTYPES];

/* Returns the entry of an element type, or NULL if safetensors does not have
 * it. */
const struct vv_safetensors_dtype *vv_safetensors_dtype_of(varve_dtype dtype);

/* --- The header ----------------------------------------------------------- */

/* Names point into the header, after their opening quotes: see vv_json_compare
 * and vv_safetensors_item. */
struct vv_safetensors_tensor {
    const char *name;
    uint64_t begin, end; /* offsets in the data */
    uint32_t file;
    uint32_t node;    /* in the draft; set when the tensor is added to it */
    bool is_left_out; /* not added to the draft; set by safetensors_in.c */
};

struct vv_safetensors_text {
    const char *name; /* followed by its text in the header */
    uint32_t file;
};

/* The contents of the object of a tensor. */
struct vv_safetensors_info {
    const struct vv_safetensors_dtype *dtype;
    varve_tensor type; /* its dtype is 0 if Varve does not have the type */
    uint64_t begin, end;
};

/* Parses a header. Appends its tensors to an array of vv_safetensors_tensor, in
 * the order of their data, and its texts to an array of vv_safetensors_text,
 * sorted by name. Checks the grammar, that names are unique, that types, shapes
 * and sizes agree, and that the tensors cover all `data_size` bytes of data
 * without gaps. Names are not restricted.
 *
 * Returns VARVE_CORRUPT, VARVE_TRUNCATED if the tensors need more data,
 * VARVE_TOO_NEW for an unknown type, VARVE_LIMIT for a higher rank than Varve
 * supports, or VARVE_NO_MEMORY. */
varve_status vv_safetensors_header(struct vv_json_in *in, uint64_t data_size,
    uint32_t file, struct vv_buffer *tensors, struct vv_buffer *texts);

/* Compare tensors by name and by the offset of their data, for qsort and
 * bsearch. */
int vv_safetensors_by_name(const void *a, const void *b);
int vv_safetensors_by_data(const void *a, const void *b);

/* Return the name of a tensor or text, and the contents of the object of a
 * tensor. Both have been validated; `in` must be the header that contains
 * them. */
void vv_safetensors_item(
    struct vv_json_in *in, const char *name, struct vv_json_item *item);
varve_status vv_safetensors_info(
    struct vv_json_in *in, const char *name, struct vv_safetensors_info *info);

/* --- Types that Varve does not have --------------------------------------- */

/* Stores type and shape of a tensor whose type Varve does not have, so that it
 * can be written again unchanged. */

void vv_safetensors_keep(struct vv_draft *draft, uint32_t node,
    const struct vv_safetensors_info *info);

/* Sets the type and the shape of a state in its file. Returns false if nothing
 * was stored or the size of the state has changed. */
bool vv_safetensors_kept_of(const struct vv_target *target, uint32_t node,
    struct vv_safetensors_info *info);

/* The prefix of the tag of such a state. */
#define VV_SAFETENSORS_TAG "safetensors:"

/* Returns true if a tag of a node contains nothing beyond the type that is
 * written again. */
bool vv_safetensors_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name);

#endif
