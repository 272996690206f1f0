/* overlap.h - values that lie in the same memory under two nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OVERLAP_H
#define VV_OVERLAP_H

#include <varve/error.h>

#include "node.h"

/* Whether no two variables or texts that can be reached from a node, which is
 * not nil, share a byte. Those tagged VARVE_TAG_LOCAL are left out, and so are
 * two of which both are fixed, and what functions reach. VARVE_MISUSE names
 * both; VARVE_NO_MEMORY. It costs a load where no view has changed since it
 * last found none in the whole graph.
 *
 * vv_check_call and vv_begin_save (write.h) call it, so all saves do, in the
 * background and of many processes too, plans, and reads before a value
 * arrives; varve_restore_again and varve_assert_consumed call it for what was
 * added after the read. Snapshots do not: all values are copied at one moment,
 * so that two copies of one byte are equal, and a restore of the snapshot may
 * write them in any order. */
varve_status vv_overlap_check(varve_node *root, varve_error *error);

#endif
