/* box.h - Boxes, which are parts of a tensor, and their intersections.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BOX_H
#define VV_BOX_H

#include <varve/tensor.h>

/* Returns the first dimension in which the box exceeds the tensor, or the rank
 * if there is none. The tensor must be valid. */
uint32_t vv_box_leaves(const varve_tensor *tensor, const varve_box *box);

/* Returns the number of elements of a box, which must not exceed its tensor. */
uint64_t vv_box_count(const varve_tensor *tensor, const varve_box *box);

/* Returns the box of a whole tensor. */
varve_box vv_box_whole(const varve_tensor *tensor);

/* The intersection of two boxes of one value as a minimal number of rows:
 * elements that are adjacent in both boxes. A box is stored row-major, without
 * gaps. */
struct vv_rows {
    /* to read: the row; elements are counted from the start of each box */
    uint64_t from;
    uint64_t to;
    uint64_t count;
    /* own */
    uint64_t end;
    /* number of dimensions after merging; 0: the boxes do not intersect */
    uint32_t rank;
    uint64_t at[VARVE_MAX_RANK]; /* start of the next row, relative to `from` */
    uint64_t low[VARVE_MAX_RANK];    /* the intersection begins here */
    uint64_t high[VARVE_MAX_RANK];   /* and ends here */
    uint64_t shifts[VARVE_MAX_RANK]; /* difference to the position in `to` */
    uint64_t from_extents[VARVE_MAX_RANK];
    uint64_t to_extents[VARVE_MAX_RANK];
};

/* Begins with the rows of the elements `first` to `end` - 1 of `from`, in their
 * order. The boxes must have the same rank and not exceed their value. The cost
 * is proportional to the number of rows, not to what is skipped. */
void vv_rows_begin(struct vv_rows *rows, uint32_t rank, const varve_box *from,
    const varve_box *to, uint64_t first, uint64_t end);

/* Returns false after the last row. */
bool vv_rows_next(struct vv_rows *rows);

#endif
