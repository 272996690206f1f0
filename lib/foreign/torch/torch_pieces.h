/* torch_pieces.h - Reads tensors that are stored in pieces, each of which is a
 * tensor in a torch.save file, as torch.distributed writes them.
 *
 * Reading a range of such a tensor reads only the pieces that overlap the
 * range. If a piece has a CRC, it is verified before any part of the piece is
 * used. In a pickle, a tensor in pieces is an item of kind VV_PICKLE_OUTSIDE
 * without an id.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_PIECES_H
#define VV_TORCH_PIECES_H

#include <stdatomic.h>

#include "torch_decode.h"

/* A box of elements of the tensor. */
struct vv_torch_piece {
    /* to fill in */
    const uint64_t *box; /* starts, then lengths, of all dimensions */
    struct vv_torch_gathered what;
    /* own */
    uint64_t size; /* in bytes */
    bool is_plain; /* the layout is that of Varve's own format */
    _Atomic(bool) is_verified;
};

struct vv_torch_pieced {
    /* to fill in */
    varve_tensor type;
    struct vv_torch_piece *pieces; /* those with elements; in an arena */
    uint32_t count;
    /* to read */
    bool has_parts; /* all pieces are plain, so a range can be read alone */
};

static inline bool vv_torch_is_pieced(
    const struct vv_pickle *p, uint32_t outside)
{
    return vv_pickle_item(p, outside)->a == VV_PICKLE_THE_NONE &&
           vv_pickle_item(p, outside)->b > 0;
}

/* Returns a tensor in pieces of a file. */
static inline const struct vv_torch_pieced *vv_torch_pieced(
    const struct vv_torch_file *file, uint64_t number)
{
    return (const struct vv_torch_pieced *)(const void *)file->pieced.data +
           number;
}

/* Adds a tensor in pieces, and sets *item to the item that represents it. The
 * shapes of the pieces must be the lengths of their boxes. Returns false
 * without memory. */
bool vv_torch_add_pieces(struct vv_torch_file *file,
    struct vv_torch_pieced tensor, struct vv_pickle_item *item);

/* Returns an error message if the boxes of the pieces do not cover the whole
 * exactly once, or NULL. Each box must be inside the whole. Instead of
 * comparing all pairs, it compares hashes: the sum over all boxes of the
 * product, over the dimensions, of the difference of two random numbers that
 * stand for the coordinates. The sum equals that of the whole if the boxes
 * cover it, and hardly ever otherwise. */
const char *vv_torch_check_boxes(uint32_t rank, const uint64_t *shape,
    const struct vv_torch_piece *pieces, uint32_t count);

/* Reads `size` bytes of a tensor in pieces from offset `at`; all of the tensor
 * unless all of its pieces are plain. */
varve_status vv_torch_read_pieces(const struct vv_torch_file *file,
    uint64_t number, uint64_t at, unsigned char *bytes, size_t size,
    varve_error *error);

#endif
