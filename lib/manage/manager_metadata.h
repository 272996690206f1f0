/* manager_metadata.h - Collects the metadata of a manager's checkpoint: that of
 * the caller, and the manager's own (step, time, metric, run, parent).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_METADATA_H
#define VV_MANAGER_METADATA_H

#include "manager.h"
#include "manager_together.h"

struct vv_manager_metadata {
    /* own */
    varve_metadata *all; /* strings belong to the manager and the caller */
    size_t count, most;
};

/* Collects the metadata of `write`, of `options` and of the manager. Call
 * vv_manager_metadata_clear after the save has begun, in any case. */
varve_status vv_manager_metadata_collect(const varve_manager *manager,
    const struct vv_manager_order *order, const varve_write_options *write,
    const varve_manager_save_options *options,
    struct vv_manager_metadata *metadata, varve_error *error);

void vv_manager_metadata_clear(
    const varve_manager *manager, struct vv_manager_metadata *metadata);

#endif
