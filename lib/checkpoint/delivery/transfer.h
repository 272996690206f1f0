/* transfer.h - values from the file into the program, all of them or none.
 *
 * What nobody has seen yet (new library-owned memory) is read straight into
 * place. The rest is read and verified in memory of its own and exchanged with
 * the variables at the end, if it is small enough; otherwise all of it is
 * verified first and then read once more, straight into place, or where nothing
 * is at at risk (at_risk.h) read there at once. States are loaded last, and
 * asked for their older bytes before anything changes where another is loaded
 * after them. A failure undoes all of it; only where what goes straight into
 * place fails, or where several states could not be saved, the message says
 * what was touched.
 *
 * What is fixed is compared as it comes in the first pass over the others, or
 * in one before it where that changes what the program sees.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TRANSFER_H
#define VV_TRANSFER_H

#include "move.h"

/* Delivers the jobs, which fit their nodes; `fixed_count` more of fixed nodes,
 * see fixed.h, stand behind them. On success the variables hold their values,
 * and casts' inexact are noted. */
varve_status vv_transfer(struct vv_delivery *d, const struct vv_pair *jobs,
    size_t count, size_t fixed_count, varve_error *error);

/* Reads the values of the jobs and checks their digests, no more. */
varve_status vv_transfer_verify(struct vv_delivery *d,
    const struct vv_pair *jobs, size_t count, varve_error *error);

#endif
