/* box.h - a part of a tensor, as runs of elements that lie beside each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BOX_H
#define VV_BOX_H

#include <varve/tensor.h>

/* The number of a dimension in which the box leaves the tensor; its rank if it
 * leaves it in none. The tensor is valid. */
uint32_t vv_box_leaves(const varve_tensor *tensor, const varve_box *box);

/* The number of elements of a box that leaves its tensor nowhere. */
uint64_t vv_box_count(const varve_tensor *tensor, const varve_box *box);

/* The elements of such a box in row-major order, as the fewest runs. */
struct vv_runs {
    const varve_tensor *tensor;
    const varve_box *box;
    uint64_t
        at[VARVE_MAX_RANK]; /* of the next run, from where the box starts */
    uint32_t outer;         /* dimensions that are gone through */
    /* to read */
    uint64_t length; /* elements of each run */
    /* own */
    uint64_t left; /* runs */
};

/* Both outlive the runs. */
void vv_runs_begin(
    struct vv_runs *runs, const varve_tensor *tensor, const varve_box *box);

/* Sets *first to the element with which the next run begins; false after the
 * last. */
bool vv_runs_next(struct vv_runs *runs, uint64_t *first);

#endif
