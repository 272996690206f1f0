/* run.h - Makes runs with any system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RUN_H
#define VV_RUN_H

#include <varve/run.h>

#include "context.h"

/* Implements varve_run_new with a given context. */
varve_run *vv_run_new_in(const struct vv_context *context);

#endif
