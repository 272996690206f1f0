/* difference.h - ranks that want to save different things: found by three
 * digests, and then named.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DIFFERENCE_H
#define VV_DIFFERENCE_H

#include "comm_collectives.h"
#include "merge.h"

/* VARVE_MISUSE, the same everywhere, where a rank has another path or other
 * options or metadata than rank 0, another graph, or other values that are no
 * slices: with the path of the first that differs, and the ranks. `merge` is
 * looked at at rank 0. Whether all came with one request is set where it is
 * known. */
varve_status vv_compare_all(const varve_comm *comm,
    const struct vv_merge *merge, bool *has_same_request, varve_error *error);

#endif
