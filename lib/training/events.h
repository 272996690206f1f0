/* events.h - event files over any system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_EVENTS_H
#define VV_EVENTS_H

#include <varve/events.h>

#include "context.h"

/* As varve_events_open; the allocator of `options` is not looked at. */
varve_events *vv_events_open_in(const struct vv_context *context,
    const char *directory, const varve_events_options *options,
    varve_error *error);

#endif
