/* transfer.h - Transfers values from the file into the program, all of them or
 * none.
 *
 * Values of new library-owned memory are read directly into place. Other values
 * are staged: read and verified in separate memory, and exchanged with the
 * variables at the end. If they are too large for that, all values are verified
 * first and then read again, directly into place. If nothing is at risk
 * (at_risk.h), they are read into place at once. States are loaded last. If
 * another state is loaded after a state, its previous bytes are saved before
 * anything changes. A failure undoes everything, with two exceptions: values
 * that were read directly into place, and several states that could not be
 * saved. Then the error message lists what was changed.
 *
 * Fixed values are compared in the first pass over the other values, or in a
 * pass before it if that one changes memory of the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TRANSFER_H
#define VV_TRANSFER_H

#include "move.h"

/* Delivers the jobs, whose values must fit their nodes. They are followed by
 * `fixed_count` jobs of fixed nodes (fixed.h). On success the variables have
 * their values, and inexact casts are recorded. */
varve_status vv_transfer(struct vv_delivery *d, const struct vv_pair *jobs,
    size_t count, size_t fixed_count, varve_error *error);

/* Reads the values of the jobs and only verifies their digests. */
varve_status vv_transfer_verify(struct vv_delivery *d,
    const struct vv_pair *jobs, size_t count, varve_error *error);

#endif
