/* ledger.h - what the checkpoints of a directory say of themselves, in one text
 * file, so that they need not be opened. A hint: an entry counts only while its
 * file has the size and the time that stand there.
 *
 *     varve ledger 1
 *     number counter step time metric size modified manager
 *     12 12 12000 - 3fd0000000000000 50112 1763712000000000000 ours
 *     digest 0123456789abcdef
 *
 * "-" is for what is not known; the metric stands as the bits of a float64, the
 * time when the file was modified in nanoseconds since 1970-01-01 UTC. The
 * digest is XXH3-64 of all that is before its line.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEDGER_H
#define VV_LEDGER_H

#include "listing.h"

#define VV_LEDGER_ENDING ".ledger"

/* Adds to an empty listing what the ledger of its prefix says. One that is
 * missing, damaged, or not a ledger, says nothing. */
void vv_ledger_read(struct vv_listing *listing);

/* Writes it; not synced, for it may be missing. */
varve_status vv_ledger_write(struct vv_listing *listing, varve_error *error);

#endif
