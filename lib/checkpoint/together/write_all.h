/* write_all.h - Saves by many processes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WRITE_ALL_H
#define VV_WRITE_ALL_H

#include <varve/collective.h>

#include "save.h"
#include "save_together.h"

/* Saves. Collective: `status` is the result of earlier steps of this rank; if
 * one has failed, with its message in `error`, all ranks fail. Returns the same
 * on all ranks. With vv_comm_alone it is vv_save_now. */
varve_status vv_save_now_together(const varve_comm *comm, varve_status status,
    const struct vv_save_request *request, varve_error *error);

/* Returns a save by all ranks, for vv_saving_write. The caller sets `path`
 * and the members for the graph. */
struct vv_saving vv_saving_together(
    struct vv_save_together *save, const char *target, bool is_numbered);

#endif
