/* difference.h - Detects ranks that save different graphs or values, by
 * comparing three digests, and reports the difference.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DIFFERENCE_H
#define VV_DIFFERENCE_H

#include "comm_collectives.h"
#include "merge.h"

/* Compares the contributions of all ranks. Returns VARVE_MISUSE on all ranks if
 * a rank has another path, other options or metadata, another graph, or other
 * replicated values than rank 0. The message has the first path that differs,
 * and the ranks. `merge` is used on rank 0 only. Sets *has_same_request to
 * false if path, options or metadata differ. */
varve_status vv_compare_all(const varve_comm *comm,
    const struct vv_merge *merge, bool *has_same_request, varve_error *error);

#endif
