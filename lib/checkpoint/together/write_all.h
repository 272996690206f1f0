/* write_all.h - a save of many processes to exactly one file, for those that
 * choose its name and its number.
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

/* `status` is what became of what this process did before: a failure, with its
 * message in `error`, is that of all. The same at all ranks. */
varve_status vv_write_together(const varve_comm *comm, varve_status status,
    const struct vv_write_request *request, varve_error *error);

/* The same under the next number of a prefix, of what has done the first step,
 * or has failed with `status`: sets `path`, and the counter of the save plan.
 */
varve_status vv_save_numbered_together(struct vv_save_together *save,
    varve_status status, const char *prefix, struct vv_buffer *path,
    varve_error *error);

#endif
