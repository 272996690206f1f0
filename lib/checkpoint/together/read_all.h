/* read_all.h - a restoration of many processes, for those that say what is
 * opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_READ_ALL_H
#define VV_READ_ALL_H

#include <varve/collective.h>

#include "restoration.h"

/* Opens together what `opening` says, as varve_read_all does; its consent is
 * set here. `status` is what became of what this process did before: a failure,
 * with its message in `error`, is that of all. */
varve_restoration *vv_read_together(const varve_comm *comm, varve_node *root,
    varve_status status, struct vv_opening *opening, varve_error *error);

#endif
