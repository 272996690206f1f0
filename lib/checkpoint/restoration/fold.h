/* fold.h - Passes the rank-local data of another number of processes to
 * callbacks of the program (varve/rank_local.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FOLD_H
#define VV_FOLD_H

#include "restoration.h"

/* Calls the callbacks that are due. Values have been delivered before, and the
 * other processes have agreed. A callback that fails is due again. */
varve_status vv_fold(struct varve_restoration *r, varve_error *error);

#endif
