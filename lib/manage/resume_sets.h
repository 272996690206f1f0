/* resume_sets.h - Finds the newest intact set of files of all ranks: in the
 * directories of the ranks, where it can be rebuilt, or at a storage level that
 * has all of its files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_SETS_H
#define VV_RESUME_SETS_H

#include "origin.h"

/* Collective. Starts with the newest number that any rank has, and for each
 * number with the fastest location. `origin` is zeroed except for the number of
 * levels. It has no listing if no set is intact. Damaged sets are recorded as
 * skipped. If files could not be read, the set is skipped and *unread is set if
 * there are levels; otherwise the call fails. */
varve_status vv_find_set(varve_manager *manager, struct vv_origin *origin,
    varve_error *unread, varve_error *error);

#endif
