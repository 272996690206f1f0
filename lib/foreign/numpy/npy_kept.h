/* npy_kept.h - Adds arrays to a draft, and stores the type and shape of an
 * array whose type Varve does not have, so that it can be written again
 * unchanged.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_KEPT_H
#define VV_NPY_KEPT_H

#include "draft.h"
#include "npy_in.h"
#include "target.h"

/* --- Types that Varve does not have --------------------------------------- */

/* Sets *header to the type of a state in its file: kind, shape, size, order,
 * version and descr, which is valid as long as the graph. Returns false if
 * nothing was stored or the size of the state has changed. */
bool vv_npy_kept_of(const struct vv_target *target, uint32_t node,
    struct vv_npy_header *header);

/* Returns true if a tag of a node contains nothing beyond the type that is
 * written again. */
bool vv_npy_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name);

/* --- Adding arrays -------------------------------------------------------- */

/* Adds an array to a draft: as a variable, or as a state if Varve does not have
 * its type. */

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
