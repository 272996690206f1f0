/* run.h - the usual program in a few calls, over any system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RUN_H
#define VV_RUN_H

#include <varve/run.h>

#include "context.h"

/* varve_run_new with memory and system of the caller's choice. */
varve_run *vv_run_new_in(const struct vv_context *context);

#endif
