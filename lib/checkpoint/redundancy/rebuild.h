/* rebuild.h - a set of files is made whole by those who have the others.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REBUILD_H
#define VV_REBUILD_H

#include "redundancy.h"

/* Called by all ranks. Files that are lost or damaged are made again, durably,
 * each as it was by its digest; then what protects them. A file of another set
 * of the same number is not overwritten: it gets another name (set_aside.h),
 * and *aside, which may be NULL, has a message at its rank, with the status
 * VARVE_EXISTS, and is left as it was at others. VARVE_OK: all is there
 * at every rank, and verified. A status of a file (VARVE_CORRUPT,
 * VARVE_NOT_FOUND, VARVE_MISMATCH, ...) where it is not a set that can be made
 * whole: nothing is changed then. Else what failed: what was rebuilt stays, and
 * is not made a second time.
 *
 * Unless `was_lost` is NULL only the files are made, and it says at all ranks
 * whether anything was lacking: what protects them is made by the next call. */
varve_status vv_rebuild(const struct vv_redundancy *redundancy,
    const struct vv_redundant_file *own, bool *was_lost, varve_error *aside,
    varve_error *error);

#endif
