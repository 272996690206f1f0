/* dcp_in.h - Reads checkpoints of torch.distributed.checkpoint: a directory
 * with `.metadata`, a pickle that lists all values, and `__RANK_N.distcp`,
 * files that are sequences of torch.save files.
 *
 * Values are placed in the dicts and lists in which they were saved, as if
 * torch.save had written them. Tensors in pieces are assembled.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DCP_IN_H
#define VV_DCP_IN_H

#include "foreign_format.h"

/* The file to open is `.metadata`. */
extern const struct vv_foreign_format vv_dcp_format;

#endif
