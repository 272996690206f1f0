/* event_file.h - where a process writes its events.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_EVENT_FILE_H
#define VV_EVENT_FILE_H

#include <varve/error.h>

#include "context.h"

/* Makes the directory and a new file in it, whose name sorts behind those of
 * the event files that are there. *path is to be released with
 * vv_release_string. */
varve_status vv_event_file_create(const struct vv_context *context,
    const char *directory, int *file, char **path, varve_error *error);

#endif
