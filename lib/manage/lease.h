/* lease.h - a shared lock on a checkpoint that somebody reads. Who deletes must
 * first get the file's lock for himself.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEASE_H
#define VV_LEASE_H

#include <varve/watch.h>

#include "buffer.h"
#include "context.h"

struct varve_lease {
    struct vv_context context;
    struct vv_buffer path;
    int file;
};

/* Opens a file, locks it, and looks whether the name still leads to it. At
 * once: VARVE_TIMEOUT where somebody has the lock for himself. The lease ends
 * with vv_file_close. */
varve_status vv_lease_take(const struct vv_context *context, const char *path,
    int *file, varve_error *error);

/* varve_lease_new over any system. */
varve_lease *vv_lease_new_in(
    const struct vv_context *context, const char *path, varve_error *error);

#endif
