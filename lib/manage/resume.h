/* resume.h - the newest checkpoint that is good.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_H
#define VV_RESUME_H

#include "manager.h"

/* Looks for the newest entry that verifies, every byte read; damaged ones are
 * marked and noted as passed over. Sets *index to its place in the listing; to
 * the number of entries where none is good. Fails with what is no damage. */
varve_status vv_find_good(
    varve_manager *manager, size_t *index, varve_error *error);

/* Decides what would stay, by which is known to be good. */
varve_status vv_manager_decide(varve_manager *manager, varve_error *error);

#endif
