/* cut_pieces.h - Rewrites a checkpoint with one of its values in several
 * pieces, as processes that each have a part of it would write it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_CUT_PIECES_H
#define SUPPORT_CUT_PIECES_H

#include <varve/error.h>
#include <varve/tensor.h>

#include "context.h"

/* Rewrites the file at `path` with the value of a node, which was in one piece,
 * in these pieces. Pieces that violate a rule give a file that readers refuse.
 * Offsets do not change. A file with data files or compressed values keeps them
 * if the order of the elements does not change, as for pieces that consist of
 * rows; otherwise the data is stored in the file itself. If `context` is NULL,
 * the file is one of the real system. */
varve_status cut_into_pieces(const struct vv_context *context,
    const char *path, const char *node, const varve_box *boxes,
    uint32_t count, varve_error *error);

#endif
