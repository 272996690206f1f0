/* write_all.h - Saves to a given path by many processes, for callers that
 * choose path and number.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WRITE_ALL_H
#define VV_WRITE_ALL_H

#include <varve/collective.h>

#include "save_together.h"

struct vv_write_request {
    /* to fill in */
    varve_node *root;
    const char *path;
    uint64_t counter; /* the save counter in the file */
    const varve_write_options *options;
};

/* Writes a checkpoint. Collective: `status` is the result of earlier steps of
 * this rank; if one has failed, with its message in `error`, all ranks fail.
 * Returns the same on all ranks. */
varve_status vv_write_together(const varve_comm *comm, varve_status status,
    const struct vv_write_request *request, varve_error *error);

/* Writes a checkpoint under the next number of a prefix. `status` is the result
 * of the first step. Sets `path`, and the counter of the save plan. */
varve_status vv_save_numbered_together(struct vv_save_together *save,
    varve_status status, const char *prefix, struct vv_buffer *path,
    varve_error *error);

#endif
