/* cut_pieces.h - a checkpoint whose value is in one piece, with it in several,
 * as processes that have a part of it each would write it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_CUT_PIECES_H
#define SUPPORT_CUT_PIECES_H

#include <varve/error.h>
#include <varve/tensor.h>

#include "context.h"

/* Writes the file of ours at `path` anew, with the value of a node, which was
 * in one piece, in these; what breaks a rule of pieces makes a file that is
 * refused. Offsets stay. One with layers, or packed, keeps them where the
 * elements stay in their order, as in pieces that are rows; else it has its
 * data in itself then. Without a context it is a file of the real system. */
varve_status cut_into_pieces(const struct vv_context *context,
    const char *path, const char *node, const varve_box *boxes,
    uint32_t count, varve_error *error);

#endif
