/* resume_together.h - Verifies a checkpoint collectively before it is resumed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_TOGETHER_H
#define VV_RESUME_TOGETHER_H

#include "manager.h"

/* Each rank verifies a part and passes its `status`. Returns the same status on
 * all ranks. The manager must have a communicator. */
varve_status vv_manager_verify(varve_manager *manager, const char *path,
    varve_status status, varve_error *error);

#endif
