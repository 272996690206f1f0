/* fold.h - handing what was private to another number of processes to the
 * program (varve/rank_local.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FOLD_H
#define VV_FOLD_H

#include "restoration.h"

/* Calls what is due, once values have been delivered and the others have
 * agreed. What fails is due again. */
varve_status vv_fold(struct varve_restoration *r, varve_error *error);

#endif
