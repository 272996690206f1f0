/* watch.h - waiting for the checkpoints of somebody else, over any system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WATCH_H
#define VV_WATCH_H

#include <varve/watch.h>

#include "context.h"

/* varve_watch_new with memory and system of the caller's choice. */
varve_watch *vv_watch_new_in(const struct vv_context *context,
    const char *prefix, const varve_watch_options *options, varve_error *error);

#endif
