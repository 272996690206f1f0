/* event_file.h - Creates the file to which a process writes its events.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_EVENT_FILE_H
#define VV_EVENT_FILE_H

#include <varve/error.h>

#include "context.h"

/* Makes the directory and a new file in it, whose name sorts after those of the
 * existing event files. Release *path with vv_release_string. */
varve_status vv_event_file_create(const struct vv_context *context,
    const char *directory, int *file, char **path, varve_error *error);

#endif
