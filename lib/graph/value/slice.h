/* slice.h - which part of a larger value a variable is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SLICE_H
#define VV_SLICE_H

#include <varve/slice.h>

#include "attachment.h"
#include "variable.h"

struct vv_slice {
    struct vv_attachment attachment;
    /* own */
    varve_slice slice;
    bool is_part; /* not all of its value */
};

extern const struct vv_attachment_kind vv_slice_kind;

/* vv_variable_new of a slice, or of an ordinary variable where `slice` is NULL.
 * What the view says of memory of the library is not looked at. */
varve_node *vv_slice_new(varve_node *parent, const char *name,
    varve_tensor view, const varve_slice *slice, bool is_owned);

/* Whether it would be one with elements of another type. */
bool vv_slice_may_be(const varve_node *node, varve_dtype dtype);

/* The slice that a variable is, if it is not all of its value, or NULL. */
static inline const varve_slice *vv_part_of(const varve_node *node)
{
    const struct vv_slice *slice = vv_attachment_find(node, &vv_slice_kind);
    return slice && slice->is_part ? &slice->slice : NULL;
}

/* Type and shape of the value that a variable is, or is a part of; data
 * NULL. */
varve_tensor vv_whole_of(const varve_node *node);

/* The part that a variable is of its value. */
varve_box vv_box_of(const varve_node *node);

/* Writes "float32[2,8] from [4,0] on" into `text`, for messages; returns it. */
enum { VV_SLICE_TEXT_SIZE = 2 * VARVE_TENSOR_TEXT_SIZE };
char *vv_slice_text(
    const varve_tensor *view, const varve_slice *slice, char *text);

/* The same, and of what: "float32[2,8] from [4,0] on of float32[16,8]". */
enum { VV_PART_TEXT_SIZE = VV_SLICE_TEXT_SIZE + VARVE_TENSOR_TEXT_SIZE + 4 };
char *vv_part_text(
    const varve_tensor *view, const varve_slice *slice, char *text);

#endif
