/* dcp_in.h - what torch.distributed.checkpoint writes: a directory with
 * `.metadata`, a pickle that says what there is, and `__RANK_N.distcp`, files
 * of torch.save one behind the other, as a checkpoint.
 *
 * Values are in the dicts and lists in which they were saved, as if torch.save
 * had written the whole; tensors in pieces are put together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DCP_IN_H
#define VV_DCP_IN_H

#include "foreign_format.h"

/* The file that is bid for is `.metadata`. */
extern const struct vv_foreign_format vv_dcp_format;

#endif
