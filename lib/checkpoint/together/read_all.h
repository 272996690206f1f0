/* read_all.h - Restores a checkpoint on many ranks, with options that specify
 * what is opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_READ_ALL_H
#define VV_READ_ALL_H

#include <varve/collective.h>

#include "restoration.h"

/* Restores the checkpoint that `opening` specifies, as varve_read_all does;
 * sets opening->consent. With vv_comm_alone it is vv_restoration_open.
 * Collective: `status` is the result of earlier steps of this rank; if one has
 * failed, with its message in `error`, all ranks fail. */
varve_restoration *vv_read_together(const varve_comm *comm, varve_node *root,
    varve_status status, struct vv_opening *opening, varve_error *error);

#endif
