/* box.h - a part of a tensor, and what two of them have in common.
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

/* All of a tensor. */
varve_box vv_box_whole(const varve_tensor *tensor);

/* What two boxes of one value both have, as the fewest rows: elements that lie
 * beside each other in either. A box is laid out row-major, without gaps. */
struct vv_rows {
    /* to read: the row; elements are counted from the start of each box */
    uint64_t from;
    uint64_t to;
    uint64_t count;
    /* own */
    uint64_t end;
    uint32_t rank; /* dimensions, of which several may be one here; 0: the boxes
                      have nothing in common */
    uint64_t at[VARVE_MAX_RANK];     /* of the next row, from where `from` */
    uint64_t low[VARVE_MAX_RANK];    /* starts; what is in both is from here */
    uint64_t high[VARVE_MAX_RANK];   /* to here */
    uint64_t shifts[VARVE_MAX_RANK]; /* from there to where `to` starts */
    uint64_t from_extents[VARVE_MAX_RANK];
    uint64_t to_extents[VARVE_MAX_RANK];
};

/* Rows of the elements `first` to `end` - 1 of `from`, in their order. The
 * boxes are of one rank, and leave their value nowhere. It costs in proportion
 * to the rows that there are, not to what is skipped. */
void vv_rows_begin(struct vv_rows *rows, uint32_t rank, const varve_box *from,
    const varve_box *to, uint64_t first, uint64_t end);

/* False after the last. */
bool vv_rows_next(struct vv_rows *rows);

#endif
