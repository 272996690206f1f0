/* watch.h - Waits for checkpoints of another process, with any system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WATCH_H
#define VV_WATCH_H

#include <varve/watch.h>

#include "context.h"

/* Implements varve_watch_new with a given context. */
varve_watch *vv_watch_new_in(const struct vv_context *context,
    const char *prefix, const varve_watch_options *options, varve_error *error);

#endif
