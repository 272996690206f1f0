/* events.h - Opens event files on any system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_EVENTS_H
#define VV_EVENTS_H

#include <varve/events.h>

#include "context.h"

/* Like varve_events_open, but ignores the allocator of `options`. */
varve_events *vv_events_open_in(const struct vv_context *context,
    const char *directory, const varve_events_options *options,
    varve_error *error);

#endif
