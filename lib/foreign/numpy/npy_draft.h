/* npy_draft.h - an array added to a draft: a variable, or a state where it is
 * of a type that we do not have.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_DRAFT_H
#define VV_NPY_DRAFT_H

#include "draft.h"
#include "npy_in.h"

/* What is added besides the header. */
struct vv_npy_item {
    const char *name; /* a path */
    size_t name_size;
    uint64_t strings_size; /* as vv_draft_value has it */
    struct vv_place place;
};

/* The draft says whether it failed. */
void vv_npy_add(struct vv_draft *draft, const struct vv_npy_header *header,
    const struct vv_npy_item *item);

#endif
