/* npy_draft.h - Adds an array to a draft: as a variable, or as a state if Varve
 * does not have its type.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_DRAFT_H
#define VV_NPY_DRAFT_H

#include "draft.h"
#include "npy_in.h"

/* The properties of an array that are not in its header. */
struct vv_npy_item {
    const char *name; /* a path */
    size_t name_size;
    uint64_t strings_size; /* see vv_draft_value */
    struct vv_place place;
};

/* Adds an array. A failure is recorded in the draft. */
void vv_npy_add(struct vv_draft *draft, const struct vv_npy_header *header,
    const struct vv_npy_item *item);

#endif
