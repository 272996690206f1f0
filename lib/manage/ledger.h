/* ledger.h - what the checkpoints of a directory say of themselves, in one text
 * file, so that they need not be opened, and what their manager keeps. A hint:
 * an entry counts only while its file has the size and the time that stand
 * there, and none does if the metric is another one.
 *
 *     varve ledger 2
 *     last steps seconds best order bytes damaged metric
 *     3 0 3600 1 least 0 0 loss
 *     number counter step time metric size modified manager
 *     12 12 12000 - 3fd0000000000000 50112 1763712000000000000 ours
 *     digest 0123456789abcdef
 *
 * The second line names the options of varve_manager_options that the third has
 * (its last field as in a path, vv_path_add_name). "-" is for what is not
 * known; the metric stands as the bits of a float64, the time when the file was
 * modified in nanoseconds since 1970-01-01 UTC. The digest is XXH3-64 of all
 * that is before its line.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEDGER_H
#define VV_LEDGER_H

#include "listing.h"

#define VV_LEDGER_ENDING ".ledger"

/* Adds to an empty listing what the ledger of its prefix says. One that is
 * missing, damaged, or not a ledger, says nothing. `policy` (or NULL) becomes
 * what it says is kept, and the listing's metric, if it has none yet, the one
 * that stands there; else nothing is added where the two differ. */
void vv_ledger_read(struct vv_listing *listing, struct vv_policy *policy);

/* Writes it, with the listing's policy; not synced, for it may be missing. */
varve_status vv_ledger_write(struct vv_listing *listing, varve_error *error);

#endif
