/* slice.h - Stores which part of a larger value a variable is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SLICE_H
#define VV_SLICE_H

#include <varve/slice.h>

#include "node.h"
#include "variable.h"

struct vv_slice {
    struct vv_attachment attachment;
    /* own */
    varve_slice slice;
    bool is_part; /* it is not the complete value */
};

extern const struct vv_attachment_kind vv_slice_kind;

/* Makes a variable as vv_variable_new does: a slice, or an ordinary one if
 * `slice` is NULL. For library-owned variables the memory of the view is
 * ignored. */
varve_node *vv_slice_new(varve_node *parent, const char *name,
    varve_tensor view, const varve_slice *slice, bool is_owned);

/* Returns true if the variable would be valid with another element type. */
bool vv_slice_may_be(const varve_node *node, varve_dtype dtype);

/* Returns the slice of a variable, or NULL if it is a complete value. */
static inline const varve_slice *vv_part_of(const varve_node *node)
{
    const struct vv_slice *slice = vv_attachment_find(node, &vv_slice_kind);
    return slice && slice->is_part ? &slice->slice : NULL;
}

/* Returns type and shape of the complete value; `data` is NULL. */
varve_tensor vv_whole_of(const varve_node *node);

/* Returns the box of the complete value that the variable contains. */
varve_box vv_box_of(const varve_node *node);

/* Writes text such as "float32[2,8] from [4,0] on" into `text` for messages,
 * and returns it. */
enum { VV_SLICE_TEXT_SIZE = 2 * VARVE_TENSOR_TEXT_SIZE };
char *vv_slice_text(
    const varve_tensor *view, const varve_slice *slice, char *text);

/* Does the same with the complete value: "float32[2,8] from [4,0] on of
 * float32[16,8]". */
enum { VV_PART_TEXT_SIZE = VV_SLICE_TEXT_SIZE + VARVE_TENSOR_TEXT_SIZE + 4 };
char *vv_part_text(
    const varve_tensor *view, const varve_slice *slice, char *text);

#endif
