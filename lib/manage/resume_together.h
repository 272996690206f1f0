/* resume_together.h - many processes verify a checkpoint before they resume.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESUME_TOGETHER_H
#define VV_RESUME_TOGETHER_H

#include "manager.h"

/* Each rank verifies a share, and comes with its `status`: the same at all of
 * them. There is a communicator. */
varve_status vv_manager_verify(varve_manager *manager, const char *path,
    varve_status status, varve_error *error);

#endif
