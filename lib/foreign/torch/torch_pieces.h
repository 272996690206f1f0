/* torch_pieces.h - tensors that lie in pieces, each the tensor of a file of
 * torch.save, as torch.distributed writes them.
 *
 * Any bytes of such a tensor are made of the pieces that meet them, and no
 * other is read. Where a piece has a sum, it is verified before any of it is
 * believed. In a pickle such a tensor is an outside without an id.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_PIECES_H
#define VV_TORCH_PIECES_H

#include <stdatomic.h>

#include "torch_decode.h"

/* A box of elements. */
struct vv_torch_piece {
    /* to fill in */
    const uint64_t *box; /* starts, and then lengths, of all dimensions */
    struct vv_torch_gathered what;
    /* own */
    uint64_t size; /* bytes */
    bool is_plain; /* they lie as ours do */
    _Atomic(bool) is_verified;
};

struct vv_torch_pieced {
    /* to fill in */
    varve_tensor type;
    struct vv_torch_piece *pieces; /* that have elements; in an arena */
    uint32_t count;
    /* to read */
    bool has_parts; /* all of them are plain */
};

static inline bool vv_torch_is_pieced(
    const struct vv_pickle *p, uint32_t outside)
{
    return vv_pickle_item(p, outside)->a == VV_PICKLE_THE_NONE &&
           vv_pickle_item(p, outside)->b > 0;
}

/* One of a file's. */
static inline const struct vv_torch_pieced *vv_torch_pieced(
    const struct vv_torch_file *file, uint64_t number)
{
    return (const struct vv_torch_pieced *)(const void *)file->pieced.data +
           number;
}

/* Adds one, whose pieces have the lengths of their boxes as shapes, and the
 * item that stands for it. False without memory. */
bool vv_torch_add_pieces(struct vv_torch_file *file,
    struct vv_torch_pieced tensor, struct vv_pickle_item *item);

/* What is wrong with boxes, each of which is inside the whole, as the pieces of
 * it: "... that overlap" and so on; NULL: nothing. (Instead of each pair the
 * sum over all boxes of a product over the dimensions is looked at, of random
 * numbers that stand for the coordinates: boxes that make up the whole, and
 * hardly any other, have its own.) */
const char *vv_torch_check_boxes(uint32_t rank, const uint64_t *shape,
    const struct vv_torch_piece *pieces, uint32_t count);

/* Makes bytes of one of a file's, from `at` on; all of it, where not all pieces
 * are plain. */
varve_status vv_torch_read_pieces(const struct vv_torch_file *file,
    uint64_t number, uint64_t at, unsigned char *bytes, size_t size,
    varve_error *error);

#endif
