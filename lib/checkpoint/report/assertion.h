/* assertion.h - questions asked of a report; the calls are public
 * (varve/restoration.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ASSERTION_H
#define VV_ASSERTION_H

#include "restoration.h"

/* Whether the file has a value for everything that the program has, fitting or
 * not, before any is delivered. VARVE_UNMATCHED names all that it lacks. */
varve_status vv_assert_found(struct varve_restoration *r, varve_error *error);

#endif
