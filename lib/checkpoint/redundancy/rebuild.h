/* rebuild.h - Rebuilds lost files of a set from those of other ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REBUILD_H
#define VV_REBUILD_H

#include "redundancy.h"

/* --- Files of another set ------------------------------------------------- */

/* Renames a file of another set that is in the place of a rebuilt one. */

/* Renames "PREFIX-N.ENDING" to "PREFIX-N.MARK.ENDING". MARK has 16 hexadecimal
 * digits: `mark`, or the next larger number whose name is not in use. Does not
 * replace a file. Returns VARVE_OK if there is no file at `path`. After a
 * rename, sets *message to a message with both names and the status
 * VARVE_EXISTS. */
varve_status vv_set_aside(const struct vv_redundancy *redundancy,
    const char *path, uint64_t mark, varve_error *message, varve_error *error);

/* --- Rebuilding ----------------------------------------------------------- */

/* Rebuilds lost and damaged files durably, verified by their digests, and then
 * their parity files. Collective.
 *
 * A file of another set with the same number is not overwritten: it is renamed
 * (rebuild.h), and *aside is set to a message with the status VARVE_EXISTS on
 * that rank; on other ranks it is unchanged. `aside` may be NULL.
 *
 * Returns VARVE_OK if all files exist on all ranks and are verified. Returns
 * VARVE_CORRUPT, VARVE_NOT_FOUND, VARVE_MISMATCH or another status of a file if
 * the set cannot be rebuilt; then nothing is changed. After any other failure,
 * files that were rebuilt are kept and not rebuilt again by the next call.
 *
 * If `was_lost` is not NULL only the files are rebuilt, and it is set on all
 * ranks: true if anything was missing. The parity files are rebuilt by the next
 * call. */
varve_status vv_rebuild(const struct vv_redundancy *redundancy,
    const struct vv_redundant_file *own, bool *was_lost, varve_error *aside,
    varve_error *error);

#endif
