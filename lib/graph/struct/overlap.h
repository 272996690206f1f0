/* overlap.h - Finds values of different nodes that share memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OVERLAP_H
#define VV_OVERLAP_H

#include <varve/error.h>

#include "node.h"

/* Returns VARVE_OK if no two variables or texts that can be reached from a
 * node, which must not be nil, share a byte. Ignores values tagged
 * VARVE_TAG_LOCAL, pairs of fixed values, and memory that only functions
 * access. Returns VARVE_MISUSE with both paths, or VARVE_NO_MEMORY. If no view
 * has changed since a check found no overlap in the whole graph, the call only
 * reads a flag.
 *
 * vv_check_call and vv_begin_save (write.h) call it, so it is called by all
 * saves, including asynchronous and collective ones, by dry runs, and by reads
 * before a value is delivered. varve_restore_again and varve_assert_consumed
 * call it for values that were added after the read. Snapshots do not call it:
 * all values are copied at the same time, so two copies of one byte are equal
 * and can be restored in any order. */
varve_status vv_overlap_check(varve_node *root, varve_error *error);

#endif
